//! Tokens of formulas.

use percent_encoding::percent_decode_str;

use super::{FormulaError, MAX_BYTES};

/// Token of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    /// Name of a function, variable or constant, or a word that is an operator.
    Word(String),
    /// Property in the form in which the API stores references.
    Property(String),
    /// Operator or punctuation.
    Symbol(&'static str),
}

/// Operators and punctuation. Longer ones come first.
const SYMBOLS: [&str; 25] = [
    "==", "!=", ">=", "<=", "&&", "||", "+", "-", "*", "/", "%", "^", ">", "<", "!", "?", ":", "(",
    ")", "[", "]", ",", ".", "=", ";",
];

/// Beginning and end of a stored reference.
const REFERENCE: (&str, &str) = ("{{", "}}");

/// Splits an expression into tokens.
pub(super) fn tokens(expression: &str) -> Result<Vec<Token>, FormulaError> {
    if expression.len() > MAX_BYTES {
        return Err(FormulaError::Limit {
            limit: MAX_BYTES,
            what: "bytes",
        });
    }
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        rest = if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/");
            &comment[end.ok_or(FormulaError::Unterminated("comment"))? + 2..]
        } else if let Some(reference) = rest.strip_prefix(REFERENCE.0) {
            let end = reference.find(REFERENCE.1);
            let end = end.ok_or(FormulaError::Unterminated("reference"))?;
            tokens.push(Token::Property(property_id(&reference[..end])));
            &reference[end + REFERENCE.1.len()..]
        } else if first == '"' {
            let (text, rest) = text(&rest[1..])?;
            tokens.push(Token::Text(text));
            rest
        } else if first.is_ascii_digit() {
            let (number, rest) = number(rest);
            tokens.push(Token::Number(number));
            rest
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
            tokens.push(Token::Word(word.to_owned()));
            rest
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or(FormulaError::Character(first))?;
            tokens.push(Token::Symbol(symbol));
            &rest[symbol.len()..]
        }
        .trim_start();
    }
    Ok(tokens)
}

/// Returns the id of the property in a reference such as `notion:block_property:BtVS:…` (documentation of the formula
/// configuration).
fn property_id(reference: &str) -> String {
    let id = reference.split(':').nth(2).unwrap_or(reference);
    percent_decode_str(id).decode_utf8_lossy().into_owned()
}

/// Reads a text up to its closing quote.
fn text(input: &str) -> Result<(String, &str), FormulaError> {
    let mut text = String::new();
    let mut characters = input.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((text, &input[at + 1..])),
            '\\' => match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                // Other escapes are those of regular expressions.
                Some((_, other)) => text.extend(['\\', other]),
                None => break,
            },
            other => text.push(other),
        }
    }
    Err(FormulaError::Unterminated("text"))
}

/// Reads a number, which may have a fraction and an exponent.
fn number(input: &str) -> (f64, &str) {
    let bytes = input.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let (number, rest) = input.split_at(end);
    (number.parse().unwrap_or(f64::INFINITY), rest)
}
