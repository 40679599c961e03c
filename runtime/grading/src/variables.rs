//! Environment variables that a Python script requires, found by scanning its source.
//!
//! A script that reads an unset variable raises, or prints an error, and exits with the same code as for a failed
//! state. Therefore missing variables are reported before a script is run by hand.

use std::collections::BTreeSet;

use mcpmark_kinds::ScriptVariables;

/// Maximum nesting of f-strings that are scanned.
const DEPTH: u32 = 8;

/// Returns the names of environment variables that the source requires: variables that are read by a literal name from
/// `os.environ[…]`, and of the `published` ones also those that are read with `get` or `getenv` without a default, or
/// by an imported module. Variables that the script sets itself are left out.
pub(crate) fn required(source: &[u8], published: &[ScriptVariables]) -> BTreeSet<String> {
    let is_published = |name: &str| published.iter().any(|it| it.names.contains(&name));
    let mut tokens = Vec::new();
    let mut lexer = Lexer { source, at: 0 };
    lexer.run(&mut tokens, 0);
    let mut required = BTreeSet::new();
    let mut set = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let rest = tokens.get(at + 1..).unwrap_or_default();
        for (module, name) in published.iter().flat_map(|it| it.modules) {
            if *word == module.as_bytes() {
                required.insert((*name).to_owned());
            }
        }
        let (name, access) = match (*word, rest) {
            (
                b"environ",
                [
                    Token::Sign(b'['),
                    Token::Text(name),
                    Token::Sign(b']'),
                    after @ ..,
                ],
            ) => match after {
                [Token::Sign(b'='), Token::Sign(b'='), ..] => (name, Access::Subscript),
                [Token::Sign(b'='), ..] => (name, Access::Set),
                _ => (name, Access::Subscript),
            },
            (
                b"environ",
                [
                    Token::Sign(b'.'),
                    Token::Word(method),
                    Token::Sign(b'('),
                    Token::Text(name),
                    after @ ..,
                ],
            ) => match (*method, after) {
                (b"setdefault", _) => (name, Access::Set),
                (b"get", [Token::Sign(b')'), ..]) => (name, Access::Asked),
                _ => continue,
            },
            (b"getenv", [Token::Sign(b'('), Token::Text(name), Token::Sign(b')'), ..]) => {
                (name, Access::Asked)
            }
            _ => continue,
        };
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        match access {
            Access::Set => {
                set.insert(name.to_owned());
            }
            Access::Asked if !is_published(name) => {}
            Access::Asked | Access::Subscript => {
                required.insert(name.to_owned());
            }
        }
    }
    required.retain(|name| !set.contains(name));
    required
}

/// Kind of access to an environment variable.
enum Access {
    /// `os.environ["NAME"]`, which raises if the variable is unset.
    Subscript,
    /// `os.environ.get("NAME")` or `os.getenv("NAME")`.
    Asked,
    /// `os.environ["NAME"] = …` or `os.environ.setdefault("NAME", …)`.
    Set,
}

/// Token of Python source, as far as the scan distinguishes them.
enum Token<'a> {
    /// Name, keyword or number.
    Word(&'a [u8]),
    /// Content of a string literal, without the quotes.
    Text(&'a [u8]),
    /// Any other character except white space.
    Sign(u8),
}

struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    /// Reads tokens to the end of the source, or, inside an f-string (`depth` above 0), to the brace that closes the
    /// expression.
    fn run(&mut self, tokens: &mut Vec<Token<'a>>, depth: u32) {
        let mut open = 0_usize;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'#' => self.skip_line(),
                b'"' | b'\'' => self.string(tokens, Prefix::default(), depth),
                _ if is_of_word(byte) => {
                    let word = self.word();
                    match (self.peek(0), Prefix::of(word)) {
                        (Some(b'"' | b'\''), Some(prefix)) => self.string(tokens, prefix, depth),
                        _ => tokens.push(Token::Word(word)),
                    }
                }
                b'}' if depth > 0 && open == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {
                    open = match byte {
                        b'{' => open + 1,
                        b'}' => open.saturating_sub(1),
                        _ => open,
                    };
                    if !byte.is_ascii_whitespace() && byte != b'\\' {
                        tokens.push(Token::Sign(byte));
                    }
                    self.at += 1;
                }
            }
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn word(&mut self) -> &'a [u8] {
        let from = self.at;
        while self.peek(0).is_some_and(is_of_word) {
            self.at += 1;
        }
        self.source.get(from..self.at).unwrap_or_default()
    }

    /// Reads a string literal. Of an f-string, only the expressions in braces yield tokens.
    fn string(&mut self, tokens: &mut Vec<Token<'a>>, prefix: Prefix, depth: u32) {
        let Some(quote) = self.peek(0) else { return };
        let is_long = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let quotes = if is_long { 3 } else { 1 };
        self.at += quotes;
        let from = self.at;
        while let Some(byte) = self.peek(0) {
            let is_end = (0..quotes).all(|ahead| self.peek(ahead) == Some(quote));
            if is_end || byte == b'\n' && !is_long {
                break;
            }
            match byte {
                b'\\' => self.at += 2,
                b'{' if prefix.formats && self.peek(1) == Some(b'{') => self.at += 2,
                b'{' if prefix.formats && depth < DEPTH => {
                    self.at += 1;
                    self.run(tokens, depth + 1);
                }
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.source.len());
        if !prefix.formats {
            let text = self.source.get(from..self.at).unwrap_or_default();
            tokens.push(Token::Text(text));
        }
        self.at = (self.at + quotes).min(self.source.len());
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Prefix of a string literal, such as `rb` or `f`.
#[derive(Clone, Copy, Default)]
struct Prefix {
    /// True for f-strings and t-strings, whose braces contain expressions.
    formats: bool,
}

impl Prefix {
    fn of(word: &[u8]) -> Option<Self> {
        let is_prefix = word.len() <= 2 && word.iter().all(|it| b"rRbBuUfFtT".contains(it));
        is_prefix.then(|| Self {
            formats: word.iter().any(|it| b"fFtT".contains(it)),
        })
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_kinds::Services;

    use super::*;

    fn names(source: &str) -> Vec<String> {
        let published: Vec<_> = Services::builtin().script_variables().collect();
        required(source.as_bytes(), &published)
            .into_iter()
            .collect()
    }

    #[test]
    fn variables_read_without_a_default_are_required() {
        assert_eq!(
            names(
                r#"
import os
from os import environ, getenv
key = os.environ["OWN_KEY"]
org = environ [ 'GITHUB_EVAL_ORG' ]
url = f"https://host/{os.environ['MCP_GITHUB_TOKEN']:>10}/{{os.environ['NOT']}}/{f'{environ["INNER"]}'}"
host = os.getenv("POSTGRES_HOST", "localhost")
database = getenv("POSTGRES_DATABASE")
debug = os.environ.get("DEBUG")
same = os.environ["COMPARED"] == "x"
"#
            ),
            [
                "COMPARED",
                "GITHUB_EVAL_ORG",
                "INNER",
                "MCP_GITHUB_TOKEN",
                "OWN_KEY",
                "POSTGRES_DATABASE",
            ]
        );
        assert_eq!(
            names("from tasks.utils import notion_utils\n"),
            ["EVAL_NOTION_API_KEY"]
        );
    }

    #[test]
    fn variables_that_are_mentioned_set_or_unknown_are_not_required() {
        let none: [&str; 9] = [
            "# os.environ['A']",
            "\"\"\"Reads os.environ['A'] and\n\"quotes\" os.getenv('POSTGRES_HOST').\"\"\"",
            "print('os.environ[\"A\"]', \"it\\\"s os.environ['A']\")",
            "os.environ['A'] = '1'\nprint(os.environ['A'])",
            "os.environ.setdefault('A', '1'); os.environ['A']",
            "os.environ[name]; os.getenv(name)",
            "os.environ.get('POSTGRES_HOST', None)",
            "r'\\\\' ; x = rb'os.environ[\"A\"]'",
            "'unfinished os.environ[",
        ];
        for source in none {
            assert_eq!(names(source), Vec::<String>::new(), "{source}");
        }
    }

    #[test]
    fn any_bytes_come_to_an_end() {
        for source in [
            "f'{",
            "f'{f'{f'{",
            "\\",
            "'\\",
            "f'''{'''",
            "'''",
            "f'}",
            "{{{}}}}}",
        ] {
            names(source);
        }
        let deep = "f'{".repeat(100_000);
        names(&deep);
    }
}
