//! Parser of GitHub's search syntax: words, quoted phrases and qualifiers, combined with `AND`, `OR`, `NOT` and
//! parentheses.

/// Maximum nesting of parentheses. If it is exceeded, all parentheses of the query are ignored.
const DEEPEST: usize = 64;

/// Parsed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    wanted: Wanted,
    /// Names and values of the qualifiers that are not negated, at any depth.
    qualifiers: Vec<(String, String)>,
}

/// Condition of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
    Not(Box<Wanted>),
    One(Term),
}

/// Elementary condition of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    /// Word or phrase, in lower case.
    Text(String),
    /// Qualifier `name:value`, with its name in lower case.
    Qualifier { name: String, value: String },
}

impl Query {
    /// Parses a query. `names` are the known qualifiers; a qualifier with another name is text.
    pub(crate) fn parse(text: &str, names: &[&str]) -> Self {
        let mut parser = Parser {
            lexemes: lexemes(text),
            at: 0,
            names,
            negated: false,
            qualifiers: Vec::new(),
        };
        let either = parser.either();
        Self {
            wanted: scoped(either),
            qualifiers: parser.qualifiers,
        }
    }

    /// Values of a qualifier that is not negated.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of = move |(it, _): &&(String, String)| it == name;
        self.qualifiers
            .iter()
            .filter(of)
            .map(|(_, value)| value.as_str())
    }

    /// Number of characters of all words and phrases, joined by single blanks.
    pub(crate) fn length_of_texts(&self) -> usize {
        let (mut length, mut count) = (0, 0_usize);
        self.wanted.each(&mut |term| {
            if let Term::Text(text) = term {
                length += text.chars().count();
                count += 1;
            }
        });
        length + count.saturating_sub(1)
    }

    /// Evaluates the query with the truth value of each term.
    ///
    /// # Errors
    ///
    /// Returns the first error of `term`.
    pub(crate) fn holds<E>(
        &self,
        mut term: impl FnMut(&Term) -> Result<bool, E>,
    ) -> Result<bool, E> {
        self.wanted.holds(&mut term)
    }

    /// Evaluates the query like [`holds`](Self::holds), for terms that cannot fail.
    pub(crate) fn fits(&self, mut term: impl FnMut(&Term) -> bool) -> bool {
        let sure: Result<bool, std::convert::Infallible> = self.holds(|it| Ok(term(it)));
        match sure {
            Ok(fits) => fits,
        }
    }
}

impl Wanted {
    fn holds<E>(&self, term: &mut impl FnMut(&Term) -> Result<bool, E>) -> Result<bool, E> {
        match self {
            Self::All(all) => {
                for one in all {
                    if !one.holds(term)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(any) => {
                for one in any {
                    if one.holds(term)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Not(other) => Ok(!other.holds(term)?),
            Self::One(asked) => term(asked),
        }
    }

    fn each(&self, seen: &mut impl FnMut(&Term)) {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().for_each(|it| it.each(seen)),
            Self::Not(other) => other.each(seen),
            Self::One(term) => seen(term),
        }
    }

    /// Reports whether the condition restricts the repository or owner.
    fn is_place(&self) -> bool {
        matches!(self, Self::One(Term::Qualifier { name, .. }) if ["repo", "user", "org"].contains(&name.as_str()))
    }

    /// Reports whether the condition restricts the kind of the results, such as `is:issue`.
    fn is_kind(&self) -> bool {
        let kinds = ["issue", "pr", "pull-request"];
        matches!(self, Self::One(Term::Qualifier { name, value })
            if ["is", "type"].contains(&name.as_str()) && kinds.contains(&value.to_lowercase().as_str()))
    }
}

/// Combines the alternatives of a query, of which each is a list of conditions. Restrictions of the repository, the
/// owner and, if there are several alternatives, the kind apply to the whole query. One of several such restrictions
/// must hold.
fn scoped(mut either: Vec<Vec<Wanted>>) -> Wanted {
    let is_either = either.len() > 1;
    let mut all = Vec::new();
    let mut take = |is: fn(&Wanted) -> bool| {
        let taken = either
            .iter_mut()
            .flat_map(|list| list.extract_if(.., move |it| is(it)));
        let taken: Vec<Wanted> = taken.collect();
        if !taken.is_empty() {
            all.push(Wanted::Any(taken));
        }
    };
    take(Wanted::is_place);
    if is_either {
        take(Wanted::is_kind);
    }
    all.extend(joined(either));
    Wanted::All(all)
}

/// Combines alternatives without special treatment of restrictions. `None` if all are empty.
fn joined(mut either: Vec<Vec<Wanted>>) -> Option<Wanted> {
    either.retain(|list| !list.is_empty());
    match either.len() {
        0 => None,
        1 => either.pop().map(Wanted::All),
        _ => Some(Wanted::Any(either.into_iter().map(Wanted::All).collect())),
    }
}

struct Parser<'a> {
    lexemes: Vec<Lexeme>,
    at: usize,
    names: &'a [&'a str],
    /// True within an odd number of negations.
    negated: bool,
    qualifiers: Vec<(String, String)>,
}

impl Parser<'_> {
    /// Parses the alternatives that `OR` separates, up to the closing parenthesis.
    fn either(&mut self) -> Vec<Vec<Wanted>> {
        let mut either = vec![Vec::new()];
        let mut not = false;
        while let Some(lexeme) = self.lexemes.get(self.at).cloned() {
            self.at += 1;
            let wanted = match lexeme {
                Lexeme::Close => break,
                Lexeme::And => continue,
                Lexeme::Or => {
                    either.push(Vec::new());
                    continue;
                }
                Lexeme::Not => {
                    not = !not;
                    continue;
                }
                Lexeme::Open => {
                    self.negated ^= not;
                    let inner = self.either();
                    self.negated ^= not;
                    joined(inner)
                }
                Lexeme::Token { text, quoted } => {
                    self.negated ^= not;
                    let term = self.term(&text, quoted);
                    self.negated ^= not;
                    Some(Wanted::One(term))
                }
            };
            let wanted = match (wanted, std::mem::take(&mut not)) {
                (Some(wanted), true) => Some(Wanted::Not(Box::new(wanted))),
                (wanted, _) => wanted,
            };
            if let Some(list) = either.last_mut() {
                list.extend(wanted);
            }
        }
        either
    }

    fn term(&mut self, text: &str, quoted: bool) -> Term {
        let named = text.split_once(':').filter(|(name, value)| {
            let is_known = self.names.iter().any(|it| it.eq_ignore_ascii_case(name));
            // `std::fs` and `http://x` are not qualifiers, even if the name before the colon is known.
            let is_value = !value.is_empty() && !value.starts_with(':') && !value.starts_with("//");
            !quoted && is_known && is_value
        });
        match named {
            Some((name, value)) => {
                let (name, value) = (name.to_lowercase(), value.to_owned());
                if !self.negated {
                    self.qualifiers.push((name.clone(), value.clone()));
                }
                Term::Qualifier { name, value }
            }
            None => Term::Text(text.to_lowercase()),
        }
    }
}

#[derive(Debug, Clone)]
enum Lexeme {
    Open,
    Close,
    And,
    Or,
    Not,
    Token {
        text: String,
        /// True if it begins with a quote.
        quoted: bool,
    },
}

/// Splits a query into tokens. Quotes join words and are dropped. Parentheses within a word and superfluous closing
/// ones are text. If one is not closed, all parentheses are ignored.
fn lexemes(text: &str) -> Vec<Lexeme> {
    let mut all = Vec::new();
    let mut word = Word::default();
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut inside = false;
    for c in text.chars() {
        if c == '"' {
            inside = !inside;
            word.quoted |= word.text.trim_start_matches('-').is_empty() && inside;
            word.is_there = true;
        } else if inside {
            word.text.push(c);
        } else if c.is_whitespace() {
            word.end(&mut all);
        } else if c == '(' && !word.quoted && (word.text.is_empty() || word.text == "-") {
            if word.text == "-" {
                all.push(Lexeme::Not);
            }
            word = Word::default();
            all.push(Lexeme::Open);
            depth += 1;
            deepest = deepest.max(depth);
        } else if c == ')' && word.open == 0 && depth > 0 {
            word.end(&mut all);
            all.push(Lexeme::Close);
            depth -= 1;
        } else {
            word.minus |= c == '-' && !word.is_there;
            word.text.push(c);
            word.is_there = true;
            match c {
                '(' => word.open += 1,
                ')' => word.open = word.open.saturating_sub(1),
                _ => {}
            }
        }
    }
    word.end(&mut all);
    if depth > 0 || deepest > DEEPEST {
        all.retain(|it| !matches!(it, Lexeme::Open | Lexeme::Close));
    }
    all
}

/// Word that is being read.
#[derive(Default)]
struct Word {
    text: String,
    quoted: bool,
    is_there: bool,
    /// True if it begins with an unquoted minus.
    minus: bool,
    /// Number of parentheses that are open within the word.
    open: usize,
}

impl Word {
    fn end(&mut self, all: &mut Vec<Lexeme>) {
        let Self {
            mut text,
            quoted,
            is_there,
            minus,
            ..
        } = std::mem::take(self);
        if !is_there {
            return;
        }
        match text.as_str() {
            "AND" if !quoted => return all.push(Lexeme::And),
            "OR" if !quoted => return all.push(Lexeme::Or),
            "NOT" if !quoted => return all.push(Lexeme::Not),
            _ => {}
        }
        if minus
            && let Some(rest) = text.strip_prefix('-')
            && !rest.is_empty()
        {
            all.push(Lexeme::Not);
            text = rest.to_owned();
        }
        if !text.is_empty() {
            all.push(Lexeme::Token { text, quoted });
        }
    }
}

/// Texts in lower case, for substring search.
pub(crate) struct Texts(Vec<String>);

impl Texts {
    pub(crate) fn new(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| text.to_lowercase()).collect())
    }

    pub(crate) fn hold(&self, word: &str) -> bool {
        self.0.iter().any(|text| text.contains(word))
    }
}

/// Reports whether a value satisfies a comparison: `>5`, `>=5`, `<5`, `<=5`, `2..5`, `5..*` or `5`.
pub(crate) fn compares<T: PartialOrd>(
    value: &T,
    asked: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> bool {
    let with = |text: &str, holds: fn(&T, &T) -> bool| {
        parse(text).is_some_and(|other| holds(value, &other))
    };
    if let Some(text) = asked.strip_prefix(">=") {
        with(text, |a, b| a >= b)
    } else if let Some(text) = asked.strip_prefix("<=") {
        with(text, |a, b| a <= b)
    } else if let Some(text) = asked.strip_prefix('>') {
        with(text, |a, b| a > b)
    } else if let Some(text) = asked.strip_prefix('<') {
        with(text, |a, b| a < b)
    } else if let Some((low, high)) = asked.split_once("..") {
        (low == "*" || with(low, |a, b| a >= b)) && (high == "*" || with(high, |a, b| a <= b))
    } else {
        with(asked, |a, b| a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates a query on an item with these words and qualifiers.
    fn fits(query: &str, has: &[&str]) -> bool {
        let names = ["repo", "is", "label", "path", "author"];
        Query::parse(query, &names).fits(|term| match term {
            Term::Text(word) => has.contains(&word.as_str()),
            Term::Qualifier { name, value } => has.contains(&format!("{name}={value}").as_str()),
        })
    }

    #[test]
    fn queries_are_taken_apart() {
        let query = "repo:o/r \"Two words\" label:\"good first issue\" -label:bug NOT old fix";
        let has = ["repo=o/r", "two words", "label=good first issue", "fix"];
        assert!(fits(query, &has));
        for more in ["label=bug", "old"] {
            assert!(!fits(query, &[&has[..], &[more]].concat()), "{more}");
        }
        for without in 0..has.len() {
            let mut less = has.to_vec();
            less.remove(without);
            assert!(!fits(query, &less), "{without}");
        }
        let query = Query::parse("is:a -is:b NOT (is:c -is:d) is:\"e f\"", &["is"]);
        assert_eq!(query.values("is").collect::<Vec<_>>(), ["a", "d", "e f"]);
    }

    #[test]
    fn words_that_are_no_qualifiers_are_text() {
        for text in [
            "std::fs",
            "http://x.y",
            "foo:bar",
            "path::new",
            "is:",
            "a-b:c",
            "main()",
            "f(x)",
        ] {
            assert!(fits(text, &[text]), "{text}");
            assert!(!fits(text, &[]), "{text}");
            assert!(!fits(&format!("-{text}"), &[text]), "{text}");
        }
        assert!(fits("path:/docs", &["path=/docs"]));
        assert!(fits("\"is:open\"", &["is:open"]));
        assert!(fits("-\"is:open\"", &["is=open"]));
    }

    #[test]
    fn and_or_not_and_parentheses_are_obeyed() {
        for (query, has, expected) in [
            ("label:bug OR author:ann", &["label=bug"] as &[&str], true),
            ("label:bug OR author:ann", &["author=ann"], true),
            ("label:bug OR author:ann", &["label=x"], false),
            ("(label:bug)", &["label=bug"], true),
            ("(label:bug)", &[], false),
            ("a AND (b OR c)", &["a", "c"], true),
            ("a AND (b OR c)", &["b", "c"], false),
            ("a b OR c", &["c"], true),
            ("a b OR c", &["a"], false),
            ("-(a OR b) c", &["c"], true),
            ("-(a OR b) c", &["b", "c"], false),
            ("NOT NOT a", &["a"], true),
            ("a OR", &["b"], false),
            ("(a", &["a"], true),
            ("a)", &["a)"], true),
            ("\"OR\" \"(\"", &["or", "("], true),
            ("() a", &["a"], true),
            // Restrictions of the repository apply to the whole query.
            ("repo:o/r a OR b", &["b"], false),
            ("repo:o/r a OR b", &["b", "repo=o/r"], true),
            ("repo:o/r repo:o/s", &["repo=o/s"], true),
            ("is:issue a OR b", &["b", "is=pr"], false),
            ("is:issue OR is:pr", &["is=pr"], true),
            ("is:issue is:pr", &["is=pr"], false),
        ] {
            assert_eq!(fits(query, has), expected, "{query} {has:?}");
        }
        let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(fits(&deep, &["a"]));
    }

    #[test]
    fn ranges_compare() {
        let number = |text: &str| text.parse::<u64>().ok();
        for asked in ["5", ">4", ">=5", "<6", "<=5", "1..5", "5..*", "*..9"] {
            assert!(compares(&5, asked, number), "{asked}");
        }
        for asked in ["4", ">5", "<5", "6..9", "x"] {
            assert!(!compares(&5, asked, number), "{asked}");
        }
    }
}
