//! Tokens of Rust sources: their structure without literals and comments, and the string literals that they contain.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::names::renamed;

/// Placeholder of a string in [`Tokens::structure`].
const STRING: &str = "\"\"";
/// Placeholder of a character.
const CHARACTER: &str = "''";
/// Placeholder of a number.
const NUMBER: &str = "0";
/// Maximum length of a repetition in [`Tokens::structure`], in tokens: an item of a table of literals.
const LONGEST_ITEM: usize = 16;

/// Tokens of one source file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Tokens {
    /// Tokens without comments, with the same placeholder for all strings, all characters and all numbers, and a number
    /// for each name that the file itself binds. The items of a list of literals count once, so that the length of the
    /// list does not matter.
    pub(crate) structure: Vec<String>,
    /// Values of the string literals, in order.
    pub(crate) strings: Vec<String>,
}

impl Tokens {
    /// Splits a source into tokens. Text that is not Rust yields some tokens too, and never an error.
    pub(crate) fn of(source: &str) -> Self {
        let mut lexer = Lexer {
            source,
            chars: source.char_indices().peekable(),
            tokens: Self::default(),
        };
        while lexer.token() {}
        let Self { structure, strings } = lexer.tokens;
        let structure = with_last_commas(renamed(&structure));
        // A statement with a literal is code, and no item.
        let is_item = |item: &[String]| {
            let is_data = |token: &String| [STRING, CHARACTER, NUMBER].contains(&token.as_str());
            item.iter().any(is_data) && !item.iter().any(|token| token == ";")
        };
        Self {
            structure: without_repetitions(structure, LONGEST_ITEM, is_item),
            strings,
        }
    }
}

/// Returns a sequence in which parts that follow each other and are equal occur once. A part has at most `longest`
/// items, and only parts that `collapses` accepts are left out.
pub(crate) fn without_repetitions<T: PartialEq>(
    items: Vec<T>,
    longest: usize,
    collapses: impl Fn(&[T]) -> bool,
) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        kept.push(item);
        let repeated = (1..=longest.min(kept.len() / 2)).find(|length| {
            let (before, last) = kept.split_at(kept.len() - length);
            before.ends_with(last) && collapses(last)
        });
        if let Some(length) = repeated {
            kept.truncate(kept.len() - length);
        }
    }
    kept
}

/// Returns tokens in which each list in brackets ends with a comma, as all of its items but the last do.
fn with_last_commas(tokens: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let last = all.last().map(String::as_str);
        if token == "]" && last.is_some_and(|last| !["[", ","].contains(&last)) {
            all.push(",".to_owned());
        }
        all.push(token);
    }
    all
}

struct Lexer<'a> {
    source: &'a str,
    chars: Peekable<CharIndices<'a>>,
    tokens: Tokens,
}

impl<'a> Lexer<'a> {
    /// Reads one token, a comment or white space. Returns false at the end.
    fn token(&mut self) -> bool {
        let Some((at, next)) = self.chars.next() else {
            return false;
        };
        match next {
            '/' if self.next_is('/') => self.skip_while(|c| c != '\n'),
            '/' if self.next_is('*') => self.block_comment(),
            '"' => self.string(),
            '\'' => self.quote(),
            _ if next.is_whitespace() => {}
            _ if next.is_ascii_digit() => self.number(),
            _ if is_word(next) => self.word(at),
            _ => self.push(next.to_string()),
        }
        true
    }

    fn push(&mut self, token: impl Into<String>) {
        self.tokens.structure.push(token.into());
    }

    /// Returns the text after the last character that was read.
    fn rest(&mut self) -> &'a str {
        let at = self.chars.peek().map_or(self.source.len(), |(at, _)| *at);
        &self.source[at..]
    }

    fn next_is(&mut self, expected: char) -> bool {
        self.chars.peek().is_some_and(|(_, c)| *c == expected)
    }

    fn skip_while(&mut self, skips: impl Fn(char) -> bool) {
        while self.chars.next_if(|(_, c)| skips(*c)).is_some() {}
    }

    /// Skips characters with this total length in bytes.
    fn skip_bytes(&mut self, length: usize) {
        let end = self.source.len() - self.rest().len() + length;
        while self.chars.next_if(|(at, _)| *at < end).is_some() {}
    }

    /// Skips the rest of a block comment, which may contain others.
    fn block_comment(&mut self) {
        let mut depth = 1_usize;
        self.chars.next();
        while depth > 0
            && let Some((_, c)) = self.chars.next()
        {
            if c == '*' && self.next_is('/') {
                self.chars.next();
                depth -= 1;
            } else if c == '/' && self.next_is('*') {
                self.chars.next();
                depth += 1;
            }
        }
    }

    /// Reads a word: an identifier, a keyword, or the prefix of a literal.
    fn word(&mut self, start: usize) {
        self.skip_while(is_word);
        let end = self.source.len() - self.rest().len();
        let word = &self.source[start..end];
        if matches!(word, "r" | "br" | "cr") && self.raw_string() {
            return;
        }
        if matches!(word, "b" | "c") && self.next_is('"') {
            self.chars.next();
            return self.string();
        }
        if word == "b" && self.next_is('\'') {
            self.chars.next();
            return self.quote();
        }
        self.push(word);
    }

    /// Reads a raw string after its prefix. Returns false if there is none.
    fn raw_string(&mut self) -> bool {
        let rest = self.rest();
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        let Some(content) = rest[hashes..].strip_prefix('"') else {
            return false;
        };
        let close = format!("\"{}", "#".repeat(hashes));
        let length = content.find(&close).unwrap_or(content.len());
        self.tokens.strings.push(content[..length].to_owned());
        self.push(STRING);
        self.skip_bytes(hashes + 1 + length + close.len());
        true
    }

    /// Reads a string after its first quotation mark.
    fn string(&mut self) {
        let mut value = String::new();
        while let Some((_, c)) = self.chars.next() {
            match c {
                '"' => break,
                '\\' => self.escape(&mut value),
                c => value.push(c),
            }
        }
        self.tokens.strings.push(value);
        self.push(STRING);
    }

    /// Reads an escape sequence after its backslash.
    fn escape(&mut self, value: &mut String) {
        let Some((_, c)) = self.chars.next() else {
            return;
        };
        match c {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            '0' => value.push('\0'),
            'x' => {
                let digits = self.rest().get(..2).unwrap_or_default();
                value.extend(character(digits));
                self.skip_bytes(digits.len());
            }
            'u' => {
                let rest = self.rest();
                let length = rest.find('}').map_or(0, |at| at + 1);
                let digits = rest[..length].trim_matches(['{', '}']).replace('_', "");
                value.extend(character(&digits));
                self.skip_bytes(length);
            }
            // The line goes on after the indentation of the next one.
            '\n' | '\r' => self.skip_while(char::is_whitespace),
            other => value.push(other),
        }
    }

    /// Reads a character or a lifetime after its quotation mark.
    fn quote(&mut self) {
        let rest = self.rest();
        let mut chars = rest.chars();
        let first = chars.next();
        if first == Some('\\') {
            self.chars.next();
            self.escape(&mut String::new());
            self.chars.next_if(|(_, c)| *c == '\'');
            self.push(CHARACTER);
        } else if chars.next() == Some('\'') {
            self.skip_bytes(first.map_or(0, char::len_utf8) + 1);
            self.push(CHARACTER);
        } else {
            self.skip_while(is_word);
            self.push("'");
        }
    }

    /// Reads the rest of a number after its first digit.
    fn number(&mut self) {
        self.skip_while(is_word);
        let rest = self.rest();
        let is_fraction =
            rest.starts_with('.') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if is_fraction {
            self.chars.next();
            self.skip_while(is_word);
        }
        self.push(NUMBER);
    }
}

pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns the character with this hexadecimal number.
fn character(digits: &str) -> Option<char> {
    u32::from_str_radix(digits, 16)
        .ok()
        .and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn structure(source: &str) -> String {
        Tokens::of(source).structure.join(" ")
    }

    #[test]
    fn literals_and_comments_do_not_change_the_structure() {
        let one = "/// Hours.\nfn hours<'a>(of: &'a str) -> u32 { /* a /* b */ */ f(of, \"x\", 'y', 1.5) }";
        let other = "fn hours<'b>(of: &'b str) -> u32 {\n    f(of, r#\"a \"long\" text\"#, '\\n', 30_000u32)\n}";
        assert_eq!(structure(one), structure(other));
        assert_eq!(
            structure(one),
            "fn #0 < ' > ( #1 : & ' str ) - > u32 { f ( #1 , \"\" , '' , 0 ) }"
        );
        assert_eq!(structure(one), structure(&one.replace("hours", "minutes")));
        assert_ne!(structure(one), structure(&one.replace("f(", "g(")));
    }

    #[test]
    fn the_length_of_a_list_of_literals_does_not_matter() {
        let two = structure("const A: [(&str, u8); 2] = [(\"a\", 1), (\"b\", 2)];");
        let four = structure(
            "const A: [(&str, u8); 4] = [(\"a\", 1), (\"b\", 2), (\"c\", 3), (\"d\", 4)];",
        );
        assert_eq!(two, four);
        let lists = [
            "[\"a\"]",
            "[\"a\",]",
            "[\"a\", \"b\"]",
            "[\"a\", \"b\", \"c\",\n]",
        ];
        for list in lists {
            assert_eq!(structure(list), "[ \"\" , ]");
        }
        assert_eq!(structure("[]"), "[ ]");
        let one = structure("const A: [(&str, u8); 1] = [(\"a\", 1)];");
        assert_eq!(one, two);
        // Code that is repeated is not data.
        assert_ne!(structure("check(a); check(a);"), structure("check(a);"));
        assert_ne!(
            structure("check(\"a\"); check(\"b\");"),
            structure("check(\"a\");")
        );
    }

    #[test]
    fn values_of_strings_are_read() {
        let source = r####"let a = "say \"hi\" \\ \u{e9}\x41\n"; // "no"
            let b = concat!(r"raw \n", r##"a "# b"##, b"bytes", "over \
                two lines"); let c = '"'; let r#type = "x";"####;
        assert_eq!(
            Tokens::of(source).strings,
            [
                "say \"hi\" \\ éA\n",
                "raw \\n",
                "a \"# b",
                "bytes",
                "over two lines",
                "x"
            ]
        );
    }

    #[test]
    fn repetitions_of_several_items_count_once() {
        let all = |text: &str| -> String {
            without_repetitions(text.chars().collect(), 3, |_| true)
                .into_iter()
                .collect()
        };
        assert_eq!(all("aaab"), "ab");
        assert_eq!(all("abababc"), "abc");
        assert_eq!(all("abcdabcd"), "abcdabcd");
    }

    proptest! {
        #[test]
        fn any_text_is_split(text in "([a-z0-9_ .,'\"\\\\/*#{}é\n]|r#|b'|u\\{){0,60}") {
            let _ = Tokens::of(&text);
        }
    }
}
