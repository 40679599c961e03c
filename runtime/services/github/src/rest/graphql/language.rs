//! Parser of a subset of the GraphQL language: one operation with variables, arguments, aliases and inline fragments.
//!
//! The parser is our own although crates have the whole grammar. Most of it (schemas, named fragments, directives) is
//! not emulated, and documents are hostile: `graphql-parser` and `async-graphql-parser` limit the depth of a document,
//! but not its fields. `apollo-parser` limits both, but returns a lossless syntax tree, whose conversion to a [`Field`]
//! would be as long as this parser. Values of variables must be limited in any case, because each use copies them. The
//! messages of all three differ from those that begin with `Parse error on`, as those of GitHub do.

use serde_json::{Map, Value};

/// Maximum nesting depth of selections and values.
const DEPTH: usize = 32;

/// Maximum number of fields of an operation. It bounds the time of a request.
const FIELDS: usize = 2_000;

/// Maximum size of a document, in bytes.
const LONGEST: usize = 1 << 20;

/// Maximum total size of the values of variables, counted at each use, in bytes.
const MAX_OF_VARIABLES: usize = 64 << 20;

/// Selected field with its arguments, in which variables are replaced by their values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// Name in the response.
    pub(super) alias: String,
    pub(super) name: String,
    /// Type condition of the inline fragment that contains the field.
    pub(super) on: Option<String>,
    pub(super) arguments: Map<String, Value>,
    pub(super) selection: Vec<Field>,
}

/// Error message for an invalid document.
pub(super) type Problem = String;

/// Parses an operation, and returns its selected fields.
pub(super) fn parse(text: &str, variables: &Value) -> Result<Vec<Field>, Problem> {
    if text.len() > LONGEST {
        return Err(format!("Query has more than {LONGEST} bytes"));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        fields: 0,
        room: MAX_OF_VARIABLES,
        variables,
    };
    if parser.peek() != Some("{") {
        match parser.next()? {
            "query" | "mutation" => {}
            other => return Err(format!("Parse error on {other:?}")),
        }
        if !matches!(parser.peek(), Some("(" | "{")) {
            parser.next()?;
        }
        if parser.peek() == Some("(") {
            // The declared types of variables are ignored. Their values come with the request.
            while parser.next()? != ")" {}
        }
    }
    let fields = parser.selection(0)?;
    match parser.peek() {
        None => Ok(fields),
        Some(other) => Err(format!("Parse error on {other:?}")),
    }
}

/// Splits a document into names, numbers, quoted strings and single characters. Block strings become quoted strings.
fn tokens(text: &str) -> Result<Vec<String>, Problem> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
        if character.is_whitespace() || character == ',' {
            continue;
        }
        let mut end = start + character.len_utf8();
        if character == '#' {
            while rest.next_if(|(_, it)| *it != '\n').is_some() {}
            continue;
        }
        if text[start..].starts_with(BLOCK_QUOTE) {
            let inside = &text[start + BLOCK_QUOTE.len()..];
            let length = block_length(inside).ok_or("Parse error on unterminated string")?;
            tokens.push(Value::from(block_string(&inside[..length])).to_string());
            let end = start + length + 2 * BLOCK_QUOTE.len();
            while rest.next_if(|(place, _)| *place < end).is_some() {}
            continue;
        }
        if character == '"' {
            let mut escaped = false;
            loop {
                let (place, it) = rest.next().ok_or("Parse error on unterminated string")?;
                end = place + it.len_utf8();
                match it {
                    '"' if !escaped => break,
                    _ => escaped = it == '\\' && !escaped,
                }
            }
        } else if text[start..].starts_with("...") {
            // Only the dots belong to this token; a name can follow directly.
            rest.nth(1);
            end = start + 3;
        } else if is_word(character) {
            // The dots of a spread end a word.
            let continues =
                |(place, it): &(usize, char)| is_word(*it) && !text[*place..].starts_with("...");
            while let Some((place, it)) = rest.next_if(continues) {
                end = place + it.len_utf8();
            }
        }
        tokens.push(text[start..end].to_owned());
    }
    Ok(tokens)
}

/// Beginning and end of a block string.
const BLOCK_QUOTE: &str = "\"\"\"";

/// Block quote as part of a block string.
const ESCAPED_BLOCK_QUOTE: &str = "\\\"\"\"";

/// Returns the length in bytes of the block string at the beginning of a text, without its closing quote. `None` if it
/// is not closed.
fn block_length(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + text[from..].find(BLOCK_QUOTE)?;
        if !text[..end].ends_with('\\') {
            return Some(end);
        }
        from = end + BLOCK_QUOTE.len();
    }
}

/// Returns the value of a block string as the GraphQL specification defines it (`BlockStringValue`): without the common
/// indentation of its lines after the first, and without blank lines at its ends.
fn block_string(raw: &str) -> String {
    let raw = raw.replace("\r\n", "\n").replace('\r', "\n");
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let is_blank = |line: &str| indentation(line) == line.len();
    let mut lines: Vec<&str> = raw.split('\n').collect();
    let later = lines.iter().skip(1).filter(|line| !is_blank(line));
    let common = later.map(|line| indentation(line)).min().unwrap_or(0);
    for line in lines.iter_mut().skip(1) {
        *line = line.get(common..).unwrap_or_default();
    }
    while lines.last().is_some_and(|line| is_blank(line)) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| is_blank(line)).count();
    lines[blank..]
        .join("\n")
        .replace(ESCAPED_BLOCK_QUOTE, BLOCK_QUOTE)
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    fields: usize,
    /// Remaining size for the values of variables, in bytes.
    room: usize,
    variables: &'a Value,
}

/// Approximate size of a value in memory, in bytes.
pub(super) fn size(value: &Value) -> usize {
    let own = size_of::<Value>();
    own + match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, it)| own + key.len() + size(it))
            .sum(),
        _ => 0,
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }

    fn next(&mut self) -> Result<&str, Problem> {
        self.at += 1;
        let token = self.tokens.get(self.at - 1).map(String::as_str);
        token.ok_or_else(|| "Unexpected end of document".to_owned())
    }

    fn expect(&mut self, wanted: &str) -> Result<(), Problem> {
        match self.next()? {
            token if token == wanted => Ok(()),
            other => Err(format!("Parse error on {other:?}, expected {wanted:?}")),
        }
    }

    fn selection(&mut self, depth: usize) -> Result<Vec<Field>, Problem> {
        if depth > DEPTH {
            return Err("Query has a depth that exceeds the limit".to_owned());
        }
        self.expect("{")?;
        let mut fields = Vec::new();
        while self.peek() != Some("}") {
            let name = self.next()?.to_owned();
            if name == "..." {
                let mut on = None;
                if self.peek() == Some("on") {
                    self.next()?;
                    on = Some(self.next()?.to_owned());
                }
                for mut field in self.selection(depth + 1)? {
                    field.on = field.on.or_else(|| on.clone());
                    fields.push(field);
                }
                continue;
            }
            fields.push(self.field(name, depth)?);
        }
        self.next()?;
        Ok(fields)
    }

    fn field(&mut self, first: String, depth: usize) -> Result<Field, Problem> {
        let word = |text: &str| {
            text.bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        if !word(&first) {
            return Err(format!("Parse error on {first:?}"));
        }
        self.fields += 1;
        if self.fields > FIELDS {
            return Err(format!("Query asks for more than {FIELDS} fields"));
        }
        let mut name = first.clone();
        if self.peek() == Some(":") {
            self.next()?;
            name = self.next()?.to_owned();
            if !word(&name) {
                return Err(format!("Parse error on {name:?}"));
            }
        }
        let mut arguments = Map::new();
        if self.peek() == Some("(") {
            self.next()?;
            while self.peek() != Some(")") {
                let key = self.next()?.to_owned();
                self.expect(":")?;
                let value = self.value(0)?;
                arguments.insert(key, value);
            }
            self.next()?;
        }
        let selection = match self.peek() {
            Some("{") => self.selection(depth + 1)?,
            _ => Vec::new(),
        };
        Ok(Field {
            alias: first,
            name,
            on: None,
            arguments,
            selection,
        })
    }

    fn value(&mut self, depth: usize) -> Result<Value, Problem> {
        if depth > DEPTH {
            return Err("Query has a depth that exceeds the limit".to_owned());
        }
        let token = self.next()?.to_owned();
        Ok(match token.as_str() {
            "$" => {
                let name = self.next()?.to_owned();
                let value = self.variables.get(name).unwrap_or(&Value::Null);
                let room = self.room.checked_sub(size(value));
                self.room = room.ok_or_else(|| {
                    format!("Query's variables stand for more than {MAX_OF_VARIABLES} bytes")
                })?;
                value.clone()
            }
            "{" => {
                let mut object = Map::new();
                while self.peek() != Some("}") {
                    let key = self.next()?.to_owned();
                    self.expect(":")?;
                    let value = self.value(depth + 1)?;
                    object.insert(key, value);
                }
                self.next()?;
                object.into()
            }
            "[" => {
                let mut list = Vec::new();
                while self.peek() != Some("]") {
                    list.push(self.value(depth + 1)?);
                }
                self.next()?;
                list.into()
            }
            // Values of enumerations become strings. All other values have the syntax of JSON.
            word => serde_json::from_str(word).unwrap_or_else(|_| word.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_are_taken_apart() {
        let text = "query Find($owner:String!$n:[Int!]){repo: repository(owner: $owner, name: \"a \\\"b\\\"\", \
                    order: {field: CREATED_AT, first: 5}, list: $n){nodes{... on Bot{id,login}},total} # end\n}";
        let fields = parse(text, &json!({"owner": "o", "n": [1, 2]})).unwrap();
        assert_eq!(fields.len(), 1);
        let field = &fields[0];
        assert_eq!(
            (field.alias.as_str(), field.name.as_str()),
            ("repo", "repository")
        );
        assert_eq!(
            Value::from(field.arguments.clone()),
            json!({"owner": "o", "name": "a \"b\"", "order": {"field": "CREATED_AT", "first": 5}, "list": [1, 2]})
        );
        let inner: Vec<&str> = field.selection[0]
            .selection
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(inner, ["id", "login"]);
        assert_eq!(field.selection[0].selection[0].on.as_deref(), Some("Bot"));
        assert_eq!(
            parse("{viewer{login}}", &Value::Null).unwrap()[0].name,
            "viewer"
        );
        let close = parse("{a{...on Bot{id}...on User{id}}}", &Value::Null).unwrap();
        let on = close[0].selection.iter().map(|it| it.on.as_deref());
        assert_eq!(on.collect::<Vec<_>>(), [Some("Bot"), Some("User")]);
        let closer = parse("{a{id...on Bot{x}}}", &Value::Null).unwrap();
        let inner = closer[0].selection.iter();
        let inner: Vec<_> = inner
            .map(|it| (it.name.as_str(), it.on.as_deref()))
            .collect();
        assert_eq!(inner, [("id", None), ("x", Some("Bot"))]);
    }

    #[test]
    fn block_strings_are_read_without_their_indentation() {
        let value = |text: &str| {
            let fields = parse(&format!("{{a(b:{text})}}"), &Value::Null).unwrap();
            fields[0].arguments["b"].clone()
        };
        for (text, expected) in [
            (
                r#""""two
lines, "quoted" ones""""#,
                json!("two\nlines, \"quoted\" ones"),
            ),
            (
                "\"\"\"\n  one\n\n    two\r\n  three\n \n\"\"\"",
                json!("one\n\n  two\nthree"),
            ),
            (r#""""a\n \"""b\""" """"#, json!("a\\n \"\"\"b\"\"\" ")),
            (r#"["""a""","b",""""""]"#, json!(["a", "b", ""])),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn variables_are_not_multiplied_without_a_limit() {
        let names = |count: usize| format!("{{a(b:[{}])}}", "$v ".repeat(count));
        let variables = json!({"v": "x".repeat(1 << 20)});
        assert!(parse(&names(60), &variables).is_ok());
        let problem = parse(&names(70), &variables).unwrap_err();
        assert!(problem.contains("variables"), "{problem}");
        let long = format!("{{a}}{}", " ".repeat(LONGEST));
        assert!(parse(&long, &json!({})).unwrap_err().contains("bytes"));
    }

    #[test]
    fn documents_without_an_operation_are_refused() {
        let deep = format!("{{{}", "a{".repeat(5_000));
        let nested = format!("{{a(b:{}", "[".repeat(5_000));
        let often = |fields: usize| format!("{{{}}}", "a ".repeat(fields));
        assert_eq!(parse(&often(FIELDS), &json!({})).unwrap().len(), FIELDS);
        assert!(parse(&often(FIELDS + 1), &json!({})).is_err());
        for text in [
            "",
            "{",
            "{a",
            "{a}}",
            "{a(b:)}",
            "{a(b:1}",
            "subscription{a}",
            "{\"a\"}",
            "{a(b:\"x)}",
            "{a(b:\"\"\"x\")}",
            "{a(b:\"\"\"x\\\"\"\")}",
            "{a:\"x\"}",
            &deep,
            &nested,
        ] {
            assert!(parse(text, &Value::Null).is_err(), "{text:.40}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_an_operation_or_refused(text in "[{}()\\[\\]:$.!,\"\\\\#a-z0-9 \n\u{e9}]{0,60}") {
            let variables = json!({"a": {"b": 1}});
            if let Ok(fields) = parse(&text, &variables) {
                // An operation selects only fields that its text names.
                proptest::prop_assert!(fields.iter().all(|field| text.contains(&field.name)));
            }
        }
    }
}
