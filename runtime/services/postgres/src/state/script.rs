//! Scripts of SQL as `pg_dump` writes them: statements, and rows of `COPY … FROM stdin` between them.

use super::sql::{self, TokenKind};

/// Part of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    /// Line of the first token, from 1.
    pub(crate) line: usize,
    /// Object that the last comment of `pg_dump` named, such as `TABLE items`.
    pub(crate) entry: Option<(&'a str, &'a str)>,
    /// Text of the statement, with its final semicolon.
    pub(crate) text: &'a str,
    /// First word of the statement, as it is written.
    pub(crate) word: &'a str,
    /// Rows that follow `COPY … FROM stdin`, in its text format.
    pub(crate) rows: Option<Rows<'a>>,
}

/// Rows of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows<'a> {
    /// Line of the first row, from 1.
    pub(crate) line: usize,
    /// Text of the rows, without the line that ends them.
    pub(crate) text: &'a str,
}

/// Reason why a script cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScriptError {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Reason.
    pub(crate) message: String,
}

/// Reader of the steps of a script. After an error it returns `None`.
#[derive(Debug)]
pub(crate) struct Script<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    entry: Option<(&'a str, &'a str)>,
}

impl<'a> Script<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            entry: None,
        }
    }

    /// Moves over text that has been read.
    fn skip(&mut self, bytes: usize) {
        self.line += self.text[self.at..self.at + bytes].matches('\n').count();
        self.at += bytes;
    }

    /// Moves over the rest of the line, with its break, and returns it without the break.
    fn rest_of_line(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        self.skip(length);
        rest[..length].trim_end_matches(['\n', '\r'])
    }

    fn error<T>(
        &mut self,
        line: usize,
        message: impl Into<String>,
    ) -> Option<Result<T, ScriptError>> {
        self.at = self.text.len();
        let message = message.into();
        Some(Err(ScriptError { line, message }))
    }

    /// Skips a command of psql that has no meaning here, or returns an error.
    fn command(&mut self) -> Option<Result<Step<'a>, ScriptError>> {
        let line = self.line;
        let command = self.rest_of_line();
        let name = command.split_whitespace().next().unwrap_or_default();
        // Newer versions of `pg_dump` restrict psql itself in this way.
        if matches!(name, "\\restrict" | "\\unrestrict") {
            return None;
        }
        self.error(
            line,
            format!(
                "{name} is a command of psql, and is not run; expected a dump of one database by pg_dump, without --create"
            ),
        )
    }

    /// Reads a statement, which begins here.
    fn statement(&mut self) -> Option<Result<Step<'a>, ScriptError>> {
        let (line, rest) = (self.line, &self.text[self.at..]);
        let (mut words, mut first, mut last) = (Vec::new(), "", "");
        let (mut body, mut parentheses) = (0_usize, 0_usize);
        // Whether the first `FROM` or `TO` of COPY names the standard input.
        let mut from_stdin = None;
        let mut end = None;
        for token in sql::tokens(rest) {
            match (token.kind, token.text) {
                (TokenKind::Word, word) => {
                    let upper = word.to_ascii_uppercase();
                    match upper.as_str() {
                        // Only this form of a body has semicolons outside of strings. `begin` alone can be a name.
                        "ATOMIC" if body == 0 && sql::is_routine(&words) => {
                            body = usize::from(last.eq_ignore_ascii_case("BEGIN"));
                        }
                        "CASE" if body > 0 => body += 1,
                        "END" => body = body.saturating_sub(1),
                        _ => {}
                    }
                    if first.is_empty() {
                        first = word;
                    }
                    let is_from = last.eq_ignore_ascii_case("FROM");
                    if parentheses == 0
                        && from_stdin.is_none()
                        && (is_from || last.eq_ignore_ascii_case("TO"))
                    {
                        from_stdin = Some(is_from && upper == "STDIN");
                    }
                    last = word;
                    if words.len() < 4 {
                        words.push(upper);
                    }
                }
                (TokenKind::Symbol, "(") => parentheses += 1,
                (TokenKind::Symbol, ")") => parentheses = parentheses.saturating_sub(1),
                (TokenKind::Symbol, ";") if body == 0 && parentheses == 0 => {
                    end = Some(token.start + 1);
                    break;
                }
                (TokenKind::Space, _) => {}
                _ => last = "",
            }
        }
        let Some(end) = end else {
            return self.error(line, "the statement has no end; the dump is incomplete");
        };
        self.skip(end);
        let mut step = Step {
            line,
            entry: self.entry,
            text: &rest[..end],
            word: first,
            rows: None,
        };
        if first.eq_ignore_ascii_case("COPY") {
            if from_stdin != Some(true) {
                return self.error(
                    line,
                    "COPY of a file or a program; expected COPY … FROM stdin",
                );
            }
            match self.rows() {
                Ok(rows) => step.rows = Some(rows),
                Err(message) => return self.error(line, message),
            }
        }
        Some(Ok(step))
    }

    /// Reads the rows after `COPY … FROM stdin;`.
    fn rows(&mut self) -> Result<Rows<'a>, &'static str> {
        if !self.rest_of_line().trim().is_empty() {
            return Err("expected the rows of COPY on the next line");
        }
        let (line, begin) = (self.line, self.at);
        while self.at < self.text.len() {
            let end = self.at;
            if self.rest_of_line() == "\\." {
                let text = &self.text[begin..end];
                return Ok(Rows { line, text });
            }
        }
        Err("the rows of COPY have no end, a line with \\. alone; the dump is incomplete")
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = Result<Step<'a>, ScriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = &self.text[self.at..];
            let token = sql::tokens(rest).next()?;
            if token.kind == TokenKind::Space {
                self.entry = entry(token.text).or(self.entry);
                self.skip(token.text.len());
            } else if token.text == "\\" {
                if let Some(error) = self.command() {
                    return Some(error);
                }
            } else if token.text == ";" {
                self.skip(1);
            } else {
                return self.statement();
            }
        }
    }
}

/// Returns the type and the name of an object in a comment of `pg_dump`: `-- Name: items; Type: TABLE; …`.
fn entry(comment: &str) -> Option<(&str, &str)> {
    let rest = comment
        .strip_prefix("-- Name: ")
        .or_else(|| comment.strip_prefix("-- Data for Name: "))?;
    let (name, rest) = rest.split_once("; Type: ")?;
    let kind = rest.split_once(';').map_or(rest, |(kind, _)| kind);
    Some((kind, name))
}

/// Returns the text of a statement with another name in the place of a role, if the statement sets an owner or
/// privileges.
pub(crate) fn with_role(step: &Step<'_>, role: &str, other: &str) -> Option<String> {
    let names_roles = ["ALTER", "GRANT", "REVOKE"]
        .iter()
        .any(|word| step.word.eq_ignore_ascii_case(word));
    if !names_roles || !step.text.contains(role) {
        return None;
    }
    let (mut text, mut last, mut changed) = (String::new(), "", false);
    for token in sql::tokens(step.text) {
        let is_role = token.kind == TokenKind::Word
            && token.text == role
            && ["TO", "FROM", "ROLE", "BY"]
                .iter()
                .any(|word| last.eq_ignore_ascii_case(word));
        if is_role {
            text.push_str(&sql::identifier(other));
        } else {
            text.push_str(token.text);
        }
        changed |= is_role;
        if token.kind != TokenKind::Space {
            last = token.text;
        }
    }
    changed.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "--
-- PostgreSQL database dump
--

\\restrict abc

SET client_encoding = 'UTF8';

--
-- Name: items; Type: TABLE; Schema: public; Owner: clerk
--

CREATE TABLE public.items (
    id integer NOT NULL,
    name text DEFAULT 'a;b'::text
);


--
-- Data for Name: items; Type: TABLE DATA; Schema: public; Owner: clerk
--

COPY public.items (id, name) FROM stdin;
1\tsemi;colon
2\t\\N
\\.


CREATE FUNCTION public.f() RETURNS integer LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END;
CREATE RULE r AS ON INSERT TO public.items DO (SELECT 1; SELECT 2);
COPY public.none FROM stdin;
\\.
\\unrestrict abc
";

    fn steps(text: &str) -> Result<Vec<Step<'_>>, ScriptError> {
        Script::new(text).collect()
    }

    #[test]
    fn statements_and_rows_are_told_apart() {
        let steps = steps(DUMP).unwrap();
        let found: Vec<_> = steps.iter().map(|step| (step.line, step.word)).collect();
        assert_eq!(
            found,
            [
                (7, "SET"),
                (13, "CREATE"),
                (23, "COPY"),
                (29, "CREATE"),
                (30, "CREATE"),
                (31, "COPY")
            ]
        );
        assert_eq!(steps[1].entry, Some(("TABLE", "items")));
        assert_eq!(steps[2].entry, Some(("TABLE DATA", "items")));
        let rows = steps[2].rows.unwrap();
        assert_eq!((rows.line, rows.text), (24, "1\tsemi;colon\n2\t\\N\n"));
        assert_eq!(steps[5].rows.map(|rows| rows.text), Some(""));
    }

    #[test]
    fn parameters_can_have_the_names_of_keywords() {
        let text = "CREATE FUNCTION f(begin date, \"end\" date) RETURNS TABLE(begin date) LANGUAGE sql \
            AS 'SELECT begin';\nCREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC \
            SELECT CASE WHEN true THEN 1 END; SELECT 2; END;\nSELECT 1;\n";
        let lines: Vec<_> = steps(text).unwrap().iter().map(|step| step.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }

    #[test]
    fn commands_of_psql_and_files_of_the_server_are_refused_with_their_line() {
        for (text, line, word) in [
            ("SELECT 1;\n\\! touch x\n", 2, "\\! is a command of psql"),
            ("\\connect other\n", 1, "\\connect is a command of psql"),
            ("\n\\copy t from x\n", 2, "\\copy is a command of psql"),
            ("COPY t FROM '/etc/passwd';", 1, "COPY of a file"),
            ("COPY t FROM PROGRAM 'id';", 1, "COPY of a file"),
            ("COPY t (stdin) TO '/tmp/x';", 1, "COPY of a file"),
            (
                "COPY t FROM PROGRAM 'id' WHERE a IS DISTINCT FROM stdin;\n\\.\n",
                1,
                "COPY of a file",
            ),
            ("\nCOPY t FROM stdin;\n1\n", 2, "have no end"),
            ("COPY t FROM stdin; 1\n\\.\n", 1, "on the next line"),
            ("SELECT 1;\nCREATE TABLE t (\n", 2, "incomplete"),
        ] {
            let error = steps(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}");
            assert!(error.message.contains(word), "{text:?}: {}", error.message);
        }
        // The reader ends after an error.
        assert_eq!(Script::new("\\x\n\\y\n").count(), 1);
    }

    #[test]
    fn roles_are_replaced_where_they_own_or_get_something() {
        let replaced = |text: &str| {
            let steps = steps(text).unwrap();
            with_role(&steps[0], "postgres", "clerk")
        };
        for (text, wanted) in [
            (
                "ALTER TABLE a.postgres OWNER TO postgres;",
                "ALTER TABLE a.postgres OWNER TO \"clerk\";",
            ),
            (
                "GRANT SELECT ON TABLE t TO postgres;",
                "GRANT SELECT ON TABLE t TO \"clerk\";",
            ),
            (
                "ALTER DEFAULT PRIVILEGES FOR ROLE postgres GRANT SELECT ON TABLES TO x;",
                "ALTER DEFAULT PRIVILEGES FOR ROLE \"clerk\" GRANT SELECT ON TABLES TO x;",
            ),
        ] {
            assert_eq!(replaced(text).as_deref(), Some(wanted));
        }
        for text in [
            "ALTER TABLE postgres OWNER TO x;",
            "CREATE VIEW v AS SELECT 1 FROM postgres;",
        ] {
            assert_eq!(replaced(text), None, "{text}");
        }
    }
}
