//! Statements of definitions, split into tokens.

/// Part of a statement, without white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// Keyword, name or number without quotes.
    Word(&'a str),
    /// Name in double quotes, or text in single or dollar quotes, with its quotes.
    Quoted(&'a str),
    /// Operator, or any other character.
    Symbol(&'a str),
}

impl<'a> Token<'a> {
    /// Returns the text as written.
    #[must_use]
    pub fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Quoted(text) | Self::Symbol(text) => text,
        }
    }

    /// Returns the name that a word or a quoted name stands for.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Quoted(text) if text.starts_with('"') => {
                text.trim_matches('"').replace("\"\"", "\"")
            }
            other => other.text().to_owned(),
        }
    }
}

/// Characters of which operators consist.
const OPERATORS: &str = "<>=!~+-*/%&|^#@?";

/// Splits a text into tokens. Comments do not occur in a canonical state.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '.';
        let (token, length) = if first == '\'' || first == '"' {
            let length = quoted(rest, first);
            (Token::Quoted(&rest[..length]), length)
        } else if first == '$'
            && let Some(length) = dollar_quoted(rest)
        {
            (Token::Quoted(&rest[..length]), length)
        } else if is_word(first) && first != '.' {
            // A dot belongs to a number, and separates the parts of a name.
            let in_number = first.is_ascii_digit();
            let ends = |c: char| !is_word(c) || (c == '.' && !in_number);
            let length = rest.find(ends).unwrap_or(rest.len());
            (Token::Word(&rest[..length]), length)
        } else {
            let operator = rest.find(|c| !OPERATORS.contains(c)).unwrap_or(rest.len());
            let length = operator.max(first.len_utf8());
            (Token::Symbol(&rest[..length]), length)
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    found
}

fn quoted(text: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(end) = text[at..].find(quote) {
        at += end + 1;
        if !text[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    text.len()
}

fn dollar_quoted(text: &str) -> Option<usize> {
    let tag = text[1..].find('$')? + 2;
    let is_tag = text[1..tag - 1]
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_');
    let end = text[tag..].find(&text[..tag]).filter(|_| is_tag)?;
    Some(tag + end + tag)
}

/// Splits a file of definitions into its statements, without their semicolons.
#[must_use]
pub fn statements(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for token in tokens(text) {
        if token == Token::Symbol(";") {
            // All tokens are parts of `text`.
            let end = token.text().as_ptr() as usize - text.as_ptr() as usize;
            found.push(text[start..end].trim());
            start = end + 1;
        }
    }
    found
}

/// Returns an expression with one blank between its tokens and without parentheses and casts to text, so that forms that
/// mean the same in a simple condition become equal: `((status = 'sold'::text))` becomes `status = 'sold'`.
///
/// The result says nothing about the order of operators, so it serves only to compare conditions without a mix of `AND`
/// and `OR`.
#[must_use]
pub fn normalized(expression: &str) -> String {
    let tokens = tokens(expression);
    let mut words: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at..] {
            [Token::Symbol("("), ..] | [Token::Symbol(")"), ..] => at += 1,
            [
                Token::Symbol(":"),
                Token::Symbol(":"),
                Token::Word("character"),
                Token::Word("varying"),
                ..,
            ] => at += 4,
            [
                Token::Symbol(":"),
                Token::Symbol(":"),
                Token::Word("text" | "bpchar" | "numeric"),
                rest @ ..,
            ] => {
                at += 3;
                if let [Token::Symbol("["), Token::Symbol("]"), ..] = rest {
                    at += 2;
                }
            }
            [token, ..] => {
                words.push(token.text());
                at += 1;
            }
            [] => break,
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hide_semicolons() {
        let text = "COMMENT ON TABLE a IS 'x; ''y''';\nCREATE FUNCTION f() AS $f$ a; b $f$;\nDROP TABLE \"q;\"\"\";\n";
        assert_eq!(
            statements(text),
            [
                "COMMENT ON TABLE a IS 'x; ''y'''",
                "CREATE FUNCTION f() AS $f$ a; b $f$",
                "DROP TABLE \"q;\"\"\""
            ]
        );
    }

    #[test]
    fn tokens_are_words_quotes_and_symbols() {
        let text: Vec<&str> = tokens("public.t(a, 1.50) = 'é'")
            .into_iter()
            .map(Token::text)
            .collect();
        assert_eq!(
            text,
            ["public", ".", "t", "(", "a", ",", "1.50", ")", "=", "'é'"]
        );
        assert_eq!(Token::Quoted("\"a\"\"b\"").name(), "a\"b");
    }

    #[test]
    fn equal_conditions_become_equal() {
        for text in [
            "(status = 'sold'::text)",
            "((status)::text = 'sold'::text)",
            "status = 'sold'",
        ] {
            assert_eq!(normalized(text), "status = 'sold'");
        }
        assert_eq!(
            normalized("(status <> ALL (ARRAY['a'::text, 'b'::text]))"),
            "status <> ALL ARRAY [ 'a' , 'b' ]"
        );
        assert_eq!(normalized("lower((email)::text)"), "lower email");
    }
}
