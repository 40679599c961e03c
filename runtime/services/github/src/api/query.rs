//! GitHub's query syntax: words, phrases in quotes, and qualifiers.

/// A query, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    /// What has to be there, in lower case.
    pub(crate) words: Vec<String>,
    /// What must not be there, in lower case.
    pub(crate) without: Vec<String>,
    /// Qualifiers in order: their name, their value, and whether they are negated.
    pub(crate) qualifiers: Vec<Qualifier>,
}

/// `name:value` or `-name:value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Qualifier {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) negated: bool,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let mut negated = false;
        for token in tokens(text) {
            match token.text.as_str() {
                "NOT" if !token.quoted => {
                    negated = true;
                    continue;
                }
                "AND" | "OR" if !token.quoted => continue,
                _ => {}
            }
            let (minus, rest) = match token.text.strip_prefix('-') {
                Some(rest) if !token.quoted && !rest.is_empty() => (true, rest),
                _ => (false, token.text.as_str()),
            };
            let negative = minus || negated;
            negated = false;
            let named = rest.split_once(':').filter(|(name, value)| {
                !token.quoted
                    && !value.is_empty()
                    && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
            });
            match named {
                Some((name, value)) => query.qualifiers.push(Qualifier {
                    name: name.to_lowercase(),
                    value: value.to_owned(),
                    negated: negative,
                }),
                None if rest.is_empty() => {}
                None if negative => query.without.push(rest.to_lowercase()),
                None => query.words.push(rest.to_lowercase()),
            }
        }
        query
    }

    /// The values of a qualifier that is not negated.
    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.qualifiers
            .iter()
            .filter(move |it| it.name == name && !it.negated)
            .map(|it| it.value.as_str())
    }

    /// Whether some texts hold all the words and none of those that must not be there.
    pub(crate) fn fits(&self, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let held = |word: &String| texts.iter().any(|text| text.contains(word.as_str()));
        self.words.iter().all(held) && !self.without.iter().any(held)
    }
}

struct Token {
    text: String,
    /// Whether it begins with a quote.
    quoted: bool,
}

/// Words, where quotes hold blanks together and are dropped.
fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let mut current: Option<Token> = None;
    let mut inside = false;
    for c in text.chars() {
        if c == '"' {
            inside = !inside;
            current.get_or_insert(Token {
                text: String::new(),
                quoted: true,
            });
        } else if c.is_whitespace() && !inside {
            all.extend(current.take());
        } else {
            current
                .get_or_insert(Token {
                    text: String::new(),
                    quoted: false,
                })
                .text
                .push(c);
        }
    }
    all.extend(current);
    all
}

/// Whether a number or a text stands to a value as `>5`, `>=5`, `<5`, `<=5`, `2..5`, `5..*` or `5` ask for.
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

    #[test]
    fn queries_are_taken_apart() {
        let query = Query::parse(
            "repo:o/r \"two words\" label:\"good first issue\" -label:bug NOT old fix",
        );
        assert_eq!(query.words, ["two words", "fix"]);
        assert_eq!(query.without, ["old"]);
        assert_eq!(query.values("repo").collect::<Vec<_>>(), ["o/r"]);
        assert_eq!(
            query.values("label").collect::<Vec<_>>(),
            ["good first issue"]
        );
        assert!(query.qualifiers[2].negated);
        assert!(query.fits(&["Fix two", "has Two Words"]));
        assert!(!query.fits(&["fix two words, old"]));
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
