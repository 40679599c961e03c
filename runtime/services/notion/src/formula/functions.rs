//! Functions of formulas, with their names and numbers of arguments.

use super::FormulaError;

macro_rules! functions {
    ($($variant:ident $name:literal $least:literal $most:expr,)*) => {
        /// Function of formulas. Operators are functions too.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Function {
            $($variant,)*
        }

        impl Function {
            /// Parses the name of a function.
            pub(super) fn parse(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Returns the name.
            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the minimum and maximum number of arguments.
            fn arguments(self) -> (usize, usize) {
                match self { $(Self::$variant => ($least, $most),)* }
            }

            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant),*];
        }
    };
}

/// Maximum number of arguments of functions with any number.
const ANY: usize = usize::MAX;

// Names: help page "Formula syntax & functions" of Notion, and the list of functions of formulas 1.0.
functions! {
    If "if" 3 3,
    Ifs "ifs" 2 ANY,
    And "and" 1 ANY,
    Or "or" 1 ANY,
    Not "not" 1 1,
    Empty "empty" 0 1,
    Equal "equal" 2 2,
    Unequal "unequal" 2 2,
    Larger "larger" 2 2,
    LargerEq "largerEq" 2 2,
    Smaller "smaller" 2 2,
    SmallerEq "smallerEq" 2 2,
    Add "add" 2 2,
    Subtract "subtract" 2 2,
    Multiply "multiply" 2 2,
    Divide "divide" 2 2,
    Mod "mod" 2 2,
    Pow "pow" 2 2,
    UnaryMinus "unaryMinus" 1 1,
    UnaryPlus "unaryPlus" 1 1,
    Abs "abs" 1 1,
    Round "round" 1 2,
    Ceil "ceil" 1 1,
    Floor "floor" 1 1,
    Sqrt "sqrt" 1 1,
    Cbrt "cbrt" 1 1,
    Exp "exp" 1 1,
    Ln "ln" 1 1,
    Log10 "log10" 1 1,
    Log2 "log2" 1 1,
    Sign "sign" 1 1,
    Pi "pi" 0 0,
    E "e" 0 0,
    Min "min" 1 ANY,
    Max "max" 1 ANY,
    Sum "sum" 1 ANY,
    Mean "mean" 1 ANY,
    Median "median" 1 ANY,
    ToNumber "toNumber" 1 1,
    FormatNumber "formatNumber" 1 3,
    Length "length" 1 1,
    Format "format" 1 1,
    Lower "lower" 1 1,
    Upper "upper" 1 1,
    Trim "trim" 1 1,
    Repeat "repeat" 2 2,
    PadStart "padStart" 2 3,
    PadEnd "padEnd" 2 3,
    Substring "substring" 2 3,
    Contains "contains" 2 2,
    Test "test" 2 2,
    Match "match" 2 2,
    Replace "replace" 3 3,
    ReplaceAll "replaceAll" 3 3,
    Split "split" 1 2,
    Join "join" 1 ANY,
    Link "link" 2 2,
    Style "style" 1 ANY,
    Unstyle "unstyle" 1 ANY,
    Now "now" 0 0,
    Today "today" 0 0,
    Minute "minute" 1 1,
    Hour "hour" 1 1,
    Day "day" 1 1,
    Date "date" 1 1,
    Week "week" 1 1,
    Month "month" 1 1,
    Year "year" 1 1,
    DateAdd "dateAdd" 3 3,
    DateSubtract "dateSubtract" 3 3,
    DateBetween "dateBetween" 3 3,
    DateRange "dateRange" 2 2,
    DateStart "dateStart" 1 1,
    DateEnd "dateEnd" 1 1,
    Start "start" 1 1,
    End "end" 1 1,
    Timestamp "timestamp" 1 1,
    FromTimestamp "fromTimestamp" 1 1,
    FormatDate "formatDate" 2 3,
    ParseDate "parseDate" 1 1,
    Name "name" 1 1,
    Email "email" 1 1,
    Id "id" 0 1,
    At "at" 2 2,
    First "first" 1 1,
    Last "last" 1 1,
    Slice "slice" 2 3,
    Concat "concat" 1 ANY,
    Sort "sort" 1 2,
    Reverse "reverse" 1 1,
    Unique "unique" 1 1,
    Includes "includes" 2 2,
    Flat "flat" 1 1,
    Count "count" 1 2,
    Find "find" 2 2,
    FindIndex "findIndex" 2 2,
    Filter "filter" 2 2,
    Some "some" 2 2,
    Every "every" 2 2,
    Map "map" 2 2,
}

impl Function {
    /// Checks the number of arguments of a call.
    pub(super) fn check(self, found: usize) -> Result<(), FormulaError> {
        let (least, most) = self.arguments();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
        let expected = match (least, most) {
            (least, ANY) => format!("at least {least} {}", plural(least)),
            (least, most) if least == most => format!("{least} {}", plural(least)),
            (least, most) => format!("{least} to {most} arguments"),
        };
        Err(FormulaError::Arguments {
            function: self.name(),
            expected,
            found,
        })
    }
}
