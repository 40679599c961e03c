//! Lexical structure of SQL: tokens, statements and quoting.

/// Token of SQL text, with the byte range that it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Kind of the token.
    pub(super) kind: TokenKind,
    /// Text of the token.
    pub(super) text: &'a str,
    /// Offset of the first byte.
    pub(super) start: usize,
}

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// White space or a comment.
    Space,
    /// Word or number.
    Word,
    /// Identifier in double quotes.
    Quoted,
    /// String, in single quotes or dollar quotes.
    Text,
    /// Any other character.
    Symbol,
}

/// Returns the tokens of SQL text. The text of all tokens together is the input.
pub(super) fn tokens(sql: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &sql[at..];
        let first = rest.chars().next()?;
        let (kind, length) = token(rest, first);
        let token = Token {
            kind,
            text: &rest[..length],
            start: at,
        };
        at += length;
        Some(token)
    })
}

fn token(rest: &str, first: char) -> (TokenKind, usize) {
    if first.is_whitespace() {
        return (TokenKind::Space, run(rest, char::is_whitespace));
    }
    if rest.starts_with("--") {
        return (TokenKind::Space, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (TokenKind::Space, block_comment(rest));
    }
    match first {
        '\'' => (TokenKind::Text, quoted(rest, b'\'', false)),
        '"' => (TokenKind::Quoted, quoted(rest, b'"', false)),
        'E' | 'e' if rest[1..].starts_with('\'') => {
            (TokenKind::Text, 1 + quoted(&rest[1..], b'\'', true))
        }
        '$' => {
            dollar_quoted(rest).map_or((TokenKind::Symbol, 1), |length| (TokenKind::Text, length))
        }
        _ if is_word(first) => (TokenKind::Word, run(rest, |c| is_word(c) || c == '$')),
        _ => (TokenKind::Symbol, first.len_utf8()),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || !character.is_ascii()
}

fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

/// Returns the length of a quoted text. A doubled quote stands for itself.
fn quoted(text: &str, quote: u8, backslashes: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        if backslashes && bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at] != quote {
            at += 1;
        } else if bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    bytes.len()
}

fn dollar_quoted(text: &str) -> Option<usize> {
    let tag = 1 + run(&text[1..], is_word);
    if text.as_bytes().get(tag) != Some(&b'$')
        || text[1..].starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let tag = &text[..=tag];
    let body = &text[tag.len()..];
    let end = body.find(tag).map_or(body.len(), |at| at + tag.len());
    Some(tag.len() + end)
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Statement of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Line of its first token, from 1.
    pub(super) line: usize,
    /// Text with the final semicolon.
    pub(super) text: String,
    /// Line and first words of the statement, or of each one in a group.
    pub(super) heads: Vec<(usize, Vec<String>)>,
}

/// Words with which statements of transaction control begin.
const TRANSACTION_CONTROL: [&str; 8] = [
    "ABORT",
    "BEGIN",
    "COMMIT",
    "END",
    "RELEASE",
    "ROLLBACK",
    "SAVEPOINT",
    "START",
];

impl Statement {
    /// Returns the line and the reason if definitions may not contain the statement: it would end the transaction in
    /// which they are executed, or read and write other things than the database.
    pub(super) fn refusal(&self) -> Option<(usize, String)> {
        self.heads.iter().find_map(|(line, words)| {
            let first = words.first()?.as_str();
            let second = words.get(1).map(String::as_str);
            let reason = if first == "COPY" {
                "rows are in data/<schema>/<table>.csv"
            } else if TRANSACTION_CONTROL.contains(&first)
                || (first, second) == ("PREPARE", Some("TRANSACTION"))
            {
                "all definitions are executed in one transaction"
            } else if first == "LOAD" {
                "libraries are loaded by extensions"
            } else {
                return None;
            };
            Some((*line, format!("{first} is not a definition; {reason}")))
        })
    }
}

/// Splits SQL text into statements. The body of a function in standard SQL (`BEGIN ATOMIC … END`) is a part of its
/// statement. A group that begins with `SET ROLE` and ends with `RESET ROLE` is one statement, because its parts have
/// no meaning alone.
pub(super) fn statements(sql: &str) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let (mut start, mut words, mut depth) = (None, Vec::new(), 0_usize);
    let (mut line, mut counted) = (1, 0);
    let mut in_group = false;
    for token in tokens(sql) {
        if token.kind == TokenKind::Space {
            continue;
        }
        if start.is_none() {
            line += sql[counted..token.start].matches('\n').count();
            counted = token.start;
            start = Some(token.start);
        }
        if token.kind == TokenKind::Word {
            let word = token.text.to_ascii_uppercase();
            if is_routine(&words) {
                match word.as_str() {
                    "BEGIN" | "CASE" => depth += 1,
                    "END" => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if words.len() < 4 {
                words.push(word);
            }
        }
        if token.text != ";" || token.kind != TokenKind::Symbol || depth > 0 {
            continue;
        }
        let begin = start.take().unwrap_or(token.start);
        let text = &sql[begin..=token.start];
        let head = (line, words.clone());
        match found.last_mut() {
            Some(group) if in_group => {
                group.text.push('\n');
                group.text.push_str(text);
                group.heads.push(head);
            }
            _ => found.push(Statement {
                line,
                text: text.to_owned(),
                heads: vec![head],
            }),
        }
        in_group = if in_group {
            words.first().is_none_or(|word| word != "RESET")
        } else {
            words.starts_with(&["SET".to_owned(), "ROLE".to_owned()])
        };
        words.clear();
    }
    if let Some(begin) = start {
        found.push(Statement {
            line,
            text: sql[begin..].to_owned(),
            heads: vec![(line, words)],
        });
    }
    found
}

pub(super) fn is_routine(words: &[String]) -> bool {
    let words = match words {
        [create, or, replace, rest @ ..]
            if create == "CREATE" && or == "OR" && replace == "REPLACE" =>
        {
            rest
        }
        [create, rest @ ..] if create == "CREATE" => rest,
        _ => return false,
    };
    matches!(
        words.first().map(String::as_str),
        Some("FUNCTION" | "PROCEDURE")
    )
}

/// Words that version 16 or 17 made keywords without reserving them. Newer servers quote such names and older ones do
/// not, so the canonical form never quotes them.
const NEW_KEYWORDS: [&str; 12] = [
    "json",
    "json_array",
    "json_arrayagg",
    "json_exists",
    "json_object",
    "json_objectagg",
    "json_query",
    "json_scalar",
    "json_serialize",
    "json_table",
    "json_value",
    "merge_action",
];

/// Removes differences between versions in the quotes of names.
pub(super) fn canonical_quotes(sql: &str) -> String {
    if !sql.contains("\"json") && !sql.contains("\"merge_action") {
        return sql.to_owned();
    }
    tokens(sql)
        .map(|token| {
            let name = token.text.trim_matches('"');
            if token.kind == TokenKind::Quoted && NEW_KEYWORDS.contains(&name) {
                name
            } else {
                token.text
            }
        })
        .collect()
}

/// Removes one space after each line break, except in strings and quoted names.
pub(super) fn outdent(sql: &str) -> String {
    tokens(sql)
        .map(|token| match token.kind {
            TokenKind::Space => token.text.replace("\n ", "\n"),
            _ => token.text.to_owned(),
        })
        .collect()
}

/// Replaces the variable `:"database"` by a quoted name, except in strings.
pub(super) fn with_database(sql: &str, database: &str) -> String {
    const VARIABLE: &str = "\"database\"";
    let mut text = String::with_capacity(sql.len());
    let mut after_colon = false;
    for token in tokens(sql) {
        if after_colon && token.kind == TokenKind::Quoted && token.text == VARIABLE {
            text.pop();
            text.push_str(database);
        } else {
            text.push_str(token.text);
        }
        after_colon = token.kind == TokenKind::Symbol && token.text == ":";
    }
    text
}

/// Quotes text as a string.
pub(super) fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if text.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

/// Quotes a name, whatever its characters.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(sql: &str) -> Vec<(usize, String)> {
        let statements = statements(sql).into_iter();
        statements.map(|it| (it.line, it.text)).collect()
    }

    #[test]
    fn semicolons_in_quotes_do_not_end_statements() {
        let sql = "-- a; comment\nSELECT ';' , \";\" /* ; /* ; */ ; */;\n\nSELECT $x$;\n;$x$, E'\\';';\nSELECT 1";
        assert_eq!(
            split(sql),
            [
                (2, "SELECT ';' , \";\" /* ; /* ; */ ; */;".to_owned()),
                (4, "SELECT $x$;\n;$x$, E'\\';';".to_owned()),
                (6, "SELECT 1".to_owned()),
            ]
        );
    }

    #[test]
    fn standard_bodies_belong_to_their_function() {
        let sql = "CREATE OR REPLACE FUNCTION f() RETURNS int\nBEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 END;\n SELECT 2;\nEND;\nBEGIN;";
        let found = split(sql);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], (6, "BEGIN;".to_owned()));
    }

    #[test]
    fn statements_of_one_role_stay_together() {
        let sql = "SELECT 1;\nSET ROLE a;\nGRANT b TO c;\nRESET ROLE;\nSELECT 2;";
        assert_eq!(
            split(sql),
            [
                (1, "SELECT 1;".to_owned()),
                (2, "SET ROLE a;\nGRANT b TO c;\nRESET ROLE;".to_owned()),
                (5, "SELECT 2;".to_owned()),
            ]
        );
    }

    #[test]
    fn statements_that_are_no_definitions_are_refused() {
        let refused = |sql: &str| {
            let found = statements(sql);
            let refusals = found.iter().filter_map(Statement::refusal);
            refusals.map(|(line, _)| line).collect::<Vec<_>>()
        };
        for sql in [
            "copy t from program 'id';",
            "COPY (SELECT 1) TO PROGRAM 'id'",
            "/* x */ Commit;",
            "start transaction;",
            "PREPARE TRANSACTION 'x';",
            "savepoint s;",
            "load 'x';",
        ] {
            assert_eq!(refused(&format!("SELECT 1;\n\n{sql}")), [3], "{sql}");
        }
        let group = "SET ROLE a;\nGRANT b TO c;\nEND;\nRESET ROLE;";
        assert_eq!(refused(group), [3]);
        for sql in [
            "CREATE FUNCTION f() RETURNS int\nBEGIN ATOMIC\n SELECT 1;\nEND;",
            "CREATE TABLE copy (\"commit\" int);",
            "PREPARE p AS SELECT 1;",
            "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\nCOMMIT;\nEND;\n$$;",
        ] {
            assert_eq!(refused(sql), [0_usize; 0], "{sql}");
        }
    }

    #[test]
    fn new_keywords_lose_their_quotes_outside_strings() {
        assert_eq!(
            canonical_quotes("SELECT \"json\", '\"json\"', \"select\""),
            "SELECT json, '\"json\"', \"select\""
        );
        assert_eq!(outdent("a\n b\n  'c\n d'"), "a\nb\n 'c\n d'");
    }

    proptest! {
        #[test]
        fn tokens_cover_the_text(sql in "[ '\"$a;\\\\/*é-]{0,30}") {
            let joined: String = tokens(&sql).map(|token| token.text).collect();
            prop_assert_eq!(joined, sql);
        }

        #[test]
        fn literals_are_one_token(text in "[ '\"$a;\\\\\n]{0,20}") {
            let quoted = literal(&text);
            prop_assert_eq!(tokens(&quoted).count(), 1);
            prop_assert_eq!(tokens(&identifier(&text)).count(), 1);
        }
    }
}
