//! Statements with values in place of their placeholders, as psycopg2 writes them.

use std::collections::BTreeMap;

/// Value of a parameter in Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// `None`.
    Null,
    /// Truth value, number or the like, whose text is valid SQL.
    Plain(String),
    /// Text, with the type to which it is cast if it has one, such as `date`.
    Quoted(String, Option<&'static str>),
    /// List, which becomes an array.
    Array(Vec<Literal>),
    /// Tuple, which becomes a list in parentheses.
    Row(Vec<Literal>),
}

/// Parameters of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameters {
    /// Values of `%s`, in order.
    Positional(Vec<Literal>),
    /// Values of `%(name)s`.
    Named(BTreeMap<String, Literal>),
}

/// Parameters that do not fit to a statement. The texts are those of Python.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// More placeholders than values.
    #[error("tuple index out of range")]
    TooFew,
    /// More values than placeholders.
    #[error("not all arguments converted during string formatting")]
    TooMany,
    /// Named placeholder without a value.
    #[error("{0}")]
    Unknown(String),
    /// Placeholder of another form.
    #[error("unsupported format character '{0}'")]
    Placeholder(char),
    /// Statement that ends within a placeholder.
    #[error(
        "incomplete placeholder: '%' without a format character; write '%%' for a percent sign"
    )]
    Incomplete,
    /// Kinds of placeholders that do not fit to the values.
    #[error("format requires a mapping")]
    Mapping,
}

impl Parameters {
    fn is_empty(&self) -> bool {
        match self {
            Self::Positional(values) => values.is_empty(),
            Self::Named(values) => values.is_empty(),
        }
    }
}

/// Replaces the placeholders of a statement. Without parameters or placeholders, the statement stays as it is, with its
/// percent signs.
///
/// # Errors
///
/// Returns an error if placeholders and values do not fit.
pub fn interpolate(sql: &str, parameters: &Parameters) -> Result<String, FormatError> {
    if parameters.is_empty() {
        return Ok(sql.to_owned());
    }
    let mut text = String::with_capacity(sql.len());
    let mut used = 0;
    let mut has_placeholder = false;
    let mut rest = sql;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let mut characters = after.chars().skip(1);
        let mut length = 2;
        match (
            characters.next().ok_or(FormatError::Incomplete)?,
            parameters,
        ) {
            ('%', _) => text.push('%'),
            ('s', Parameters::Positional(values)) => {
                write(values.get(used).ok_or(FormatError::TooFew)?, &mut text);
                used += 1;
                has_placeholder = true;
            }
            ('(', Parameters::Named(values)) => {
                let (name, end) = after[2..].split_once(')').ok_or(FormatError::Incomplete)?;
                match end.chars().next().ok_or(FormatError::Incomplete)? {
                    's' => {}
                    other => return Err(FormatError::Placeholder(other)),
                }
                let value = values.get(name);
                write(
                    value.ok_or_else(|| FormatError::Unknown(name.to_owned()))?,
                    &mut text,
                );
                length = 2 + name.len() + 2;
                has_placeholder = true;
            }
            ('s', Parameters::Named(_)) | ('(', Parameters::Positional(_)) => {
                return Err(FormatError::Mapping);
            }
            (other, _) => return Err(FormatError::Placeholder(other)),
        }
        rest = &after[length..];
    }
    text.push_str(rest);
    if !has_placeholder {
        return Ok(sql.to_owned());
    }
    match parameters {
        Parameters::Positional(values) if used < values.len() => Err(FormatError::TooMany),
        _ => Ok(text),
    }
}

fn write(literal: &Literal, text: &mut String) {
    match literal {
        Literal::Null => text.push_str("NULL"),
        Literal::Plain(plain) => {
            // Two signs would begin a comment.
            if plain.starts_with('-') {
                text.push(' ');
            }
            text.push_str(plain);
        }
        Literal::Quoted(value, cast) => {
            quote(value, text);
            if let Some(cast) = cast {
                text.push_str("::");
                text.push_str(cast);
            }
        }
        Literal::Array(items) if items.is_empty() => text.push_str("'{}'"),
        Literal::Array(items) => {
            text.push_str("ARRAY[");
            list(items, ",", text);
            text.push(']');
        }
        Literal::Row(items) => {
            text.push('(');
            list(items, ", ", text);
            text.push(')');
        }
    }
}

fn list(items: &[Literal], separator: &str, text: &mut String) {
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            text.push_str(separator);
        }
        write(item, text);
    }
}

fn quote(value: &str, text: &mut String) {
    let has_backslash = value.contains('\\');
    text.push_str(if has_backslash { " E'" } else { "'" });
    for character in value.chars() {
        if character == '\'' || character == '\\' {
            text.push(character);
        }
        text.push(character);
    }
    text.push('\'');
}

/// Item of an array: a value, or an array of the next dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Value; `None` is null.
    Value(Option<String>),
    /// Array.
    Array(Vec<Item>),
}

/// Parses the text of an array, such as `{1,NULL,"a b"}`. Returns `None` if it is not one.
#[must_use]
pub fn array(text: &str) -> Option<Vec<Item>> {
    // Bounds other than from 1 precede the items: `[0:1]={1,2}`.
    let text = match text.split_once('=') {
        Some((bounds, items)) if bounds.starts_with('[') => items,
        _ => text,
    };
    let mut characters = text.strip_prefix('{')?.chars().peekable();
    let items = items(&mut characters, 0)?;
    characters.next().is_none().then_some(items)
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Maximum number of dimensions of an array in PostgreSQL.
const DIMENSIONS: usize = 6;

/// Parses items up to the closing brace.
fn items(characters: &mut Characters<'_>, depth: usize) -> Option<Vec<Item>> {
    if depth >= DIMENSIONS {
        return None;
    }
    let mut found = Vec::new();
    if characters.next_if_eq(&'}').is_some() {
        return Some(found);
    }
    loop {
        let item = match characters.peek()? {
            '{' => {
                characters.next();
                Item::Array(items(characters, depth + 1)?)
            }
            '"' => {
                characters.next();
                Item::Value(Some(quoted(characters)?))
            }
            _ => {
                let mut value = String::new();
                while let Some(character) = characters.next_if(|next| !matches!(next, ',' | '}')) {
                    if character == '\\' {
                        value.push(characters.next()?);
                    } else {
                        value.push(character);
                    }
                }
                Item::Value((value != "NULL").then_some(value))
            }
        };
        found.push(item);
        match characters.next()? {
            ',' => {}
            '}' => return Some(found),
            _ => return None,
        }
    }
}

fn quoted(characters: &mut Characters<'_>) -> Option<String> {
    let mut value = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            '\\' => value.push(characters.next()?),
            character => value.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &str) -> Literal {
        Literal::Quoted(text.to_owned(), None)
    }

    fn plain(text: &str) -> Literal {
        Literal::Plain(text.to_owned())
    }

    #[test]
    fn placeholders_are_replaced_as_psycopg2_does() {
        let day = Literal::Quoted("2026-02-03".to_owned(), Some("date"));
        let values = vec![
            plain("-7"),
            quoted("it's"),
            Literal::Null,
            day,
            Literal::Array(vec![plain("1"), plain("2")]),
            Literal::Row(vec![quoted("a"), quoted("b\\")]),
            Literal::Array(Vec::new()),
        ];
        let sql = "SELECT 5 -%s, %s, %s, %s, %s, 'x' IN %s, %s LIKE '100%%'";
        assert_eq!(
            interpolate(sql, &Parameters::Positional(values)).unwrap(),
            "SELECT 5 - -7, 'it''s', NULL, '2026-02-03'::date, ARRAY[1,2], 'x' IN ('a',  E'b\\\\'), '{}' LIKE '100%'"
        );
        let named = BTreeMap::from([("who".to_owned(), quoted("x"))]);
        assert_eq!(
            interpolate("%(who)s = %(who)s", &Parameters::Named(named)).unwrap(),
            "'x' = 'x'"
        );
        let none = Parameters::Positional(Vec::new());
        assert_eq!(interpolate("LIKE '%s%'", &none).unwrap(), "LIKE '%s%'");
    }

    #[test]
    fn values_that_do_not_fit_are_errors_of_python() {
        let one = Parameters::Positional(vec![plain("1")]);
        let two = Parameters::Positional(vec![plain("1"), plain("2")]);
        assert_eq!(interpolate("100%%", &one).unwrap(), "100%%");
        let named = Parameters::Named(BTreeMap::from([("a".to_owned(), plain("1"))]));
        for (sql, parameters, error) in [
            ("%s %s", &one, FormatError::TooFew),
            ("%s", &two, FormatError::TooMany),
            ("%d", &one, FormatError::Placeholder('d')),
            ("%", &one, FormatError::Incomplete),
            ("%(a)s", &one, FormatError::Mapping),
            ("%s", &named, FormatError::Mapping),
            ("%(b)s", &named, FormatError::Unknown("b".to_owned())),
            ("%(a", &named, FormatError::Incomplete),
            ("%(a)", &named, FormatError::Incomplete),
        ] {
            assert_eq!(interpolate(sql, parameters), Err(error), "{sql}");
        }
    }

    #[test]
    fn arrays_are_parsed() {
        let value = |text: &str| Item::Value(Some(text.to_owned()));
        assert_eq!(array("{}"), Some(Vec::new()));
        assert_eq!(
            array(r#"{1,NULL,"a, \"b\" \\","NULL",é}"#),
            Some(vec![
                value("1"),
                Item::Value(None),
                value(r#"a, "b" \"#),
                value("NULL"),
                value("é"),
            ])
        );
        let nested = vec![Item::Array(vec![value("1")]), Item::Array(vec![value("2")])];
        assert_eq!(array("[0:1][1:1]={{1},{2}}"), Some(nested));
        for wrong in ["", "{", "{1", "{1}x", "{\"a}", "{{{{{{{1}}}}}}}", "1"] {
            assert_eq!(array(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "[\\x00-\\u{2ff}%s(){},\"\\\\]{0,40}") {
            let _ = array(&text);
            let values = Parameters::Positional(vec![quoted(&text)]);
            let _ = interpolate(&text, &values);
            let named = Parameters::Named(BTreeMap::from([("a".to_owned(), quoted(&text))]));
            let _ = interpolate(&text, &named);
        }
    }
}
