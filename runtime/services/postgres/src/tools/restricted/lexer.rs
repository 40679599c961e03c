//! Tokens of SQL statements.

/// Token of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Keyword or identifier in lower case.
    Word(String),
    /// Quoted identifier.
    Quoted(String),
    /// Constant string.
    Text,
    /// Constant of another type that is written like a string: bits, or a national string.
    OtherText,
    Number,
    /// Parameter such as `$1`.
    Parameter,
    Operator(String),
    /// One of `( ) [ ] , ; . :`.
    Punctuation(char),
}

impl Token {
    /// Returns the keyword or the unquoted identifier.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is(&self, punctuation: char) -> bool {
        *self == Self::Punctuation(punctuation)
    }
}

/// Characters of operators.
const OPERATOR: &str = "+-*/<>=~!@#%^&|`?";

/// Splits statements, which the server has parsed, into tokens. Returns `None` for an unterminated token.
pub(super) fn tokens(sql: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer { rest: sql };
    let mut tokens = Vec::new();
    loop {
        let had_line_break = lexer.skip_blank()?;
        let Some(first) = lexer.rest.chars().next() else {
            return Some(tokens);
        };
        if first == '\'' && had_line_break && tokens.last() == Some(&Token::Text) {
            // A string that goes on after a line break.
            lexer.advance(1);
            lexer.quoted('\'', false)?;
            continue;
        }
        tokens.push(lexer.token(first)?);
    }
}

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|character| !accepts(character));
        self.advance(end.unwrap_or(self.rest.len()))
    }

    /// Skips white space and comments. Returns true if they contain a line break.
    fn skip_blank(&mut self) -> Option<bool> {
        let mut had_line_break = false;
        loop {
            let blank = self.take_while(|character| " \t\n\r\u{b}\u{c}".contains(character));
            had_line_break |= blank.contains(['\n', '\r']);
            if self.rest.starts_with("--") {
                self.take_while(|character| character != '\n' && character != '\r');
            } else if self.rest.starts_with("/*") {
                self.comment()?;
            } else {
                return Some(had_line_break);
            }
        }
    }

    /// Skips a comment, which may contain others.
    fn comment(&mut self) -> Option<()> {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.advance(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.advance(2);
            } else {
                let first = self.rest.chars().next()?;
                self.advance(first.len_utf8());
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn token(&mut self, first: char) -> Option<Token> {
        if first == '\'' {
            self.advance(1);
            self.quoted('\'', false)?;
            return Some(Token::Text);
        }
        if first == '"' {
            self.advance(1);
            return Some(Token::Quoted(self.quoted('"', false)?));
        }
        if let Some(token) = self.prefixed() {
            return token;
        }
        if first.is_ascii_digit()
            || (first == '.' && self.second().is_some_and(|it| it.is_ascii_digit()))
        {
            return Some(self.number());
        }
        if first == '$' {
            return self.dollar();
        }
        if is_word_start(first) {
            let word = self.take_while(|it| is_word_start(it) || it.is_ascii_digit() || it == '$');
            return Some(Token::Word(word.to_ascii_lowercase()));
        }
        if self.rest.starts_with("::") || self.rest.starts_with(":=") {
            return Some(Token::Operator(self.advance(2).to_owned()));
        }
        if "()[],;.:".contains(first) {
            self.advance(1);
            return Some(Token::Punctuation(first));
        }
        self.operator()
    }

    fn second(&self) -> Option<char> {
        self.rest.chars().nth(1)
    }

    /// Reads a string or identifier with a prefix, such as `E'...'`. Returns `None` if there is none.
    fn prefixed(&mut self) -> Option<Option<Token>> {
        let bytes = self.rest.as_bytes();
        let first = bytes.first()?.to_ascii_lowercase();
        if first == b'u' && bytes.get(1) == Some(&b'&') {
            let quote = *bytes.get(2)?;
            if quote != b'\'' && quote != b'"' {
                return None;
            }
            self.advance(3);
            let content = self.quoted(quote.into(), false);
            return Some(content.map(|content| match quote {
                b'"' => Token::Quoted(content),
                _ => Token::Text,
            }));
        }
        if !matches!(first, b'e' | b'b' | b'x' | b'n') || bytes.get(1) != Some(&b'\'') {
            return None;
        }
        self.advance(2);
        let content = self.quoted('\'', first == b'e');
        Some(content.map(|_| match first {
            b'e' => Token::Text,
            _ => Token::OtherText,
        }))
    }

    /// Reads up to the closing quote. A doubled quote stands for one.
    fn quoted(&mut self, quote: char, has_escapes: bool) -> Option<String> {
        let mut content = String::new();
        loop {
            let character = self.rest.chars().next()?;
            self.advance(character.len_utf8());
            if character == '\\' && has_escapes {
                let escaped = self.rest.chars().next()?;
                self.advance(escaped.len_utf8());
                content.push(escaped);
            } else if character != quote {
                content.push(character);
            } else if self.rest.starts_with(quote) {
                self.advance(1);
                content.push(quote);
            } else {
                return Some(content);
            }
        }
    }

    fn number(&mut self) -> Token {
        self.take_while(|it| it.is_ascii_digit() || it == '_');
        if self.rest.starts_with('.') && !self.rest.starts_with("..") {
            self.advance(1);
            self.take_while(|it| it.is_ascii_digit() || it == '_');
        }
        let exponent = self.rest.strip_prefix(['e', 'E']);
        let digits = exponent.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if digits.is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit())) {
            self.advance(2);
            self.take_while(|it| it.is_ascii_digit());
        }
        Token::Number
    }

    /// Reads a parameter, or a string in dollar quotes.
    fn dollar(&mut self) -> Option<Token> {
        if self.second().is_some_and(|it| it.is_ascii_digit()) {
            self.advance(1);
            self.take_while(|it| it.is_ascii_digit());
            return Some(Token::Parameter);
        }
        let end = self.rest[1..].find('$')? + 2;
        let tag = self.advance(end);
        let content = self.rest.find(tag)?;
        self.advance(content + tag.len());
        Some(Token::Text)
    }

    fn operator(&mut self) -> Option<Token> {
        let end = self.rest.find(|it| !OPERATOR.contains(it));
        let run = &self.rest[..end.unwrap_or(self.rest.len())];
        // A comment ends an operator.
        let comment = ["--", "/*"]
            .iter()
            .filter_map(|start| run.find(start))
            .min();
        let mut run = &run[..comment.unwrap_or(run.len())];
        // Only an operator with other special characters may end in a sign.
        if !run.contains(['~', '!', '@', '#', '%', '^', '&', '|', '`', '?']) {
            while run.len() > 1 && run.ends_with(['+', '-']) {
                run = &run[..run.len() - 1];
            }
        }
        if run.is_empty() {
            return None;
        }
        Some(Token::Operator(self.advance(run.len()).to_owned()))
    }
}

fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Token {
        Token::Word(text.to_owned())
    }

    #[test]
    fn comments_and_strings_hide_their_content() {
        let sql =
            "SELECT /* a /* b */ c */ 'it''s' -- d\n 'more', E'\\'', $x$ ' $x$, b'1', \"Q\"\"q\" ";
        assert_eq!(
            tokens(sql).unwrap(),
            [
                word("select"),
                Token::Text,
                Token::Punctuation(','),
                Token::Text,
                Token::Punctuation(','),
                Token::Text,
                Token::Punctuation(','),
                Token::OtherText,
                Token::Punctuation(','),
                Token::Quoted("Q\"q".to_owned()),
            ]
        );
        assert_eq!(tokens("select 'a"), None);
        assert_eq!(tokens("select /* a"), None);
    }

    #[test]
    fn operators_end_where_the_server_ends_them() {
        let operator = |text: &str| Token::Operator(text.to_owned());
        assert_eq!(
            tokens("1+-2||$1::a@-b*--c").unwrap(),
            [
                Token::Number,
                operator("+"),
                operator("-"),
                Token::Number,
                operator("||"),
                Token::Parameter,
                operator("::"),
                word("a"),
                operator("@-"),
                word("b"),
                operator("*"),
            ]
        );
        assert_eq!(tokens("1.5e-3 .5 1..2").unwrap().len(), 5);
    }
}
