//! Brace expansion of patterns: `{a,b}` and `{1..3}`.

use std::collections::HashMap;

use super::budget::{Budget, too_many};
use crate::failure::Failure;

/// Expands all braces of a pattern, in order.
pub(super) fn expand(pattern: &str, budget: &Budget) -> Result<Vec<String>, Failure> {
    let mut done = Vec::new();
    budget.take_bytes(pattern.len())?;
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let Some((before, options, after)) = brace(&pattern) else {
            budget.take_alternatives(1)?;
            done.push(pattern);
            continue;
        };
        if open.len() + options.count() > budget.alternatives_left() {
            return Err(too_many());
        }
        let first = open.len();
        for option in options.texts() {
            let length = option.len() + before.len() + after.len();
            budget.take_bytes(length)?;
            open.push(format!("{before}{}{after}", option.text()));
        }
        open[first..].reverse();
    }
    Ok(done)
}

/// Finds the first brace pair that can be expanded. Returns the text before it, its options, and the text after it.
fn brace(pattern: &str) -> Option<(&str, Options<'_>, &str)> {
    let bytes = pattern.as_bytes();
    let mut pairs = pairs(bytes);
    let mut start = 0;
    loop {
        start = find_unescaped(bytes, start, b'{')?;
        if let Some(pair) = pairs.remove(&start) {
            let body = &pattern[start + 1..pair.end];
            let options = if !pair.commas.is_empty() {
                Some(Options::List {
                    pattern,
                    from: start + 1,
                    ends: pair.commas.into_iter().chain([pair.end]).collect(),
                })
            } else if pair.is_innermost {
                Range::parse(body).map(Options::Range)
            } else {
                None
            };
            if let Some(options) = options {
                return Some((&pattern[..start], options, &pattern[pair.end + 1..]));
            }
        }
        start += 1;
    }
}

/// Options of a brace pair.
enum Options<'p> {
    /// Parts of a pattern: the first one from `from` to the first end, and each further one from after an end to the
    /// next end.
    List {
        pattern: &'p str,
        from: usize,
        ends: Vec<usize>,
    },
    Range(Range),
}

/// One option of a brace pair. Its text is built only after its length was charged to the budget.
enum Choice<'p> {
    Part(&'p str),
    Value { value: i64, range: Range },
}

impl<'p> Options<'p> {
    fn count(&self) -> usize {
        match self {
            Self::List { ends, .. } => ends.len(),
            Self::Range(range) => range.count,
        }
    }

    fn texts(&self) -> Box<dyn Iterator<Item = Choice<'p>> + '_> {
        match self {
            Self::List {
                pattern,
                from,
                ends,
            } => {
                let starts = [*from].into_iter().chain(ends.iter().map(|end| end + 1));
                Box::new(
                    starts
                        .zip(ends)
                        .map(|(start, end)| Choice::Part(&pattern[start..*end])),
                )
            }
            Self::Range(range) => Box::new((0..range.count).map(|n| Choice::Value {
                value: range.value(n),
                range: *range,
            })),
        }
    }
}

impl Choice<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Part(part) => part.len(),
            // Upper bound for numbers without padding.
            Self::Value { range, .. } => range.width.max(11),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Part(part) => (*part).to_owned(),
            Self::Value { value, range } => match u8::try_from(*value) {
                Ok(byte) if range.letters => char::from(byte).to_string(),
                _ => format!("{value:0width$}", width = range.width),
            },
        }
    }
}

fn find_unescaped(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == wanted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Brace pair of a pattern.
struct Pair {
    end: usize,
    /// Positions of the commas directly in it.
    commas: Vec<usize>,
    /// Set if it contains no other pair.
    is_innermost: bool,
}

/// Finds the brace pairs, by their start. One pass, because a search for the end from each start is quadratic in the
/// length.
fn pairs(bytes: &[u8]) -> HashMap<usize, Pair> {
    let mut closed = HashMap::new();
    let mut open: Vec<(usize, Pair)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' => {
                if let Some((_, around)) = open.last_mut() {
                    around.is_innermost = false;
                }
                let pair = Pair {
                    end: at,
                    commas: Vec::new(),
                    is_innermost: true,
                };
                open.push((at, pair));
            }
            b'}' => {
                if let Some((start, mut pair)) = open.pop() {
                    pair.end = at;
                    closed.insert(start, pair);
                }
            }
            b',' => {
                if let Some((_, pair)) = open.last_mut() {
                    pair.commas.push(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    closed
}

/// Range such as `1..3`, `01..10`, `a..e` or `1..9..2`, with both ends included.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: i32,
    to: i32,
    step: u32,
    letters: bool,
    width: usize,
    count: usize,
}

impl Range {
    fn parse(body: &str) -> Option<Self> {
        let (first, last) = body.split_once("..")?;
        let (last, step) = match last.split_once("..") {
            Some((last, step)) => (last, step.parse::<i32>().ok()?.unsigned_abs().max(1)),
            None => (last, 1),
        };
        let letter = |text: &str| match text.as_bytes() {
            [byte] if byte.is_ascii_alphabetic() => Some(i32::from(*byte)),
            _ => None,
        };
        let (from, to, letters) = match (first.parse::<i32>(), last.parse::<i32>()) {
            (Ok(from), Ok(to)) => (from, to, false),
            _ => (letter(first)?, letter(last)?, true),
        };
        let padded = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if !letters && (padded(first) || padded(last)) {
            first.len().max(last.len())
        } else {
            0
        };
        Some(Self {
            from,
            to,
            step,
            letters,
            width,
            count: (from.abs_diff(to) / step) as usize + 1,
        })
    }

    fn value(&self, n: usize) -> i64 {
        let offset = n as i64 * i64::from(self.step);
        i64::from(self.from) + if self.to < self.from { -offset } else { offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions() {
        for (pattern, expected) in [
            ("a", vec!["a"]),
            ("{a,b}c", vec!["ac", "bc"]),
            ("x{a,{b,c}}", vec!["xa", "xb", "xc"]),
            ("{a,b}{c,d}", vec!["ac", "ad", "bc", "bd"]),
            ("{,a}", vec!["", "a"]),
            ("{a}", vec!["{a}"]),
            ("{a", vec!["{a"]),
            ("a}", vec!["a}"]),
            ("\\{a,b}", vec!["\\{a,b}"]),
            ("{1..3}", vec!["1", "2", "3"]),
            ("{3..1}", vec!["3", "2", "1"]),
            ("{08..10}", vec!["08", "09", "10"]),
            ("{1..5..2}", vec!["1", "3", "5"]),
            ("{c..a}", vec!["c", "b", "a"]),
            ("{1..}", vec!["{1..}"]),
        ] {
            let expanded = expand(pattern, &Budget::default()).unwrap();
            assert_eq!(expanded, expected, "{pattern}");
        }
    }

    #[test]
    fn expansions_are_bounded() {
        let refused = |pattern: &str| expand(pattern, &Budget::default()).is_err();
        assert!(refused(&"{a,b}".repeat(40)));
        assert!(refused("{1..2147483647}"));
        assert!(refused("{-2147483648..2147483647}"));
        assert!(refused(&format!("{{{}1..9999}}", "0".repeat(60_000))));
        assert!(refused(&"{1..1}".repeat(10_000)));
        let expanded = |pattern: &str| expand(pattern, &Budget::default()).unwrap().len();
        assert_eq!(expanded("{-2147483648..2147483647..2147483647}"), 3);
        assert_eq!(expanded(&"{".repeat(60_000)), 1);
        assert_eq!(expanded(&("{".repeat(30_000) + &"}".repeat(30_000))), 1);
        assert_eq!(expanded("{1..10000}"), 10_000);
    }

    #[test]
    fn the_budget_is_for_all_patterns_together() {
        let budget = Budget::default();
        for _ in 0..10 {
            assert_eq!(expand("{1..1000}", &budget).unwrap().len(), 1000);
        }
        assert!(expand("a", &budget).is_err());
    }
}
