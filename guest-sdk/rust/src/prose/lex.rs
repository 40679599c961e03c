//! Tokens and sentences of a text.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::blocks::{Block, BlockKind, HARD_BREAK, SOFT_BREAK};
use super::forms::{
    date, has_extension, is_commit, is_fraction, is_path, is_version, number, reference, time,
};
use super::runs::{
    chunk_end, ends_sentence, is_blank, is_delimiter, is_url, leading, starts_entry,
};
use super::words;

/// Text of all blocks with its tokens and sentences.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexed {
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    pub(super) sentences: Vec<Sentence>,
}

#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Index of the block.
    pub(super) block: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The token in small letters without accents, as words are compared.
    pub(super) fold: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sentence: usize,
    /// Position in words. Punctuation and conjunctions add to the distance of what they separate.
    pub(super) at: u32,
    pub(super) in_code: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Word,
    Number(Number),
    /// Day, with one reading for each order of day and month.
    Date(Vec<Day>),
    /// Minutes since midnight, with one reading for each half of the day.
    Time(Vec<u32>),
    Version,
    Commit,
    Reference(u64),
    Handle,
    Email,
    Url,
    /// A path. `is_sure` if it is in a code span, or has a directory and an extension.
    Path {
        is_sure: bool,
    },
    /// A word with digits, such as `INC-2041`.
    Id,
    /// Digits that are not ASCII, or too many of them.
    Unreadable,
    Mark(char),
}

/// A written number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Number {
    /// Values, more than one if separators can be read in two ways.
    pub(super) readings: Vec<Decimal>,
    pub(super) currency: Option<&'static str>,
    pub(super) is_percent: bool,
    pub(super) unit: Option<&'static str>,
    pub(super) is_ordinal: bool,
    /// A word that often states no number, such as "one" and "first". It never counts as false.
    pub(super) is_soft: bool,
    pub(super) is_hedged: bool,
}

/// A day, or a part of its date.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Day {
    pub(super) year: Option<i16>,
    pub(super) month: Option<i8>,
    pub(super) day: Option<i8>,
    pub(super) weekday: Option<i8>,
}

impl Day {
    /// Returns true if nothing that is written differs from the date.
    pub(super) fn fits(&self, date: Date) -> bool {
        self.year.is_none_or(|year| year == date.year())
            && self.month.is_none_or(|month| month == date.month())
            && self.day.is_none_or(|day| day == date.day())
            && self
                .weekday
                .is_none_or(|day| day == date.weekday().to_monday_one_offset())
    }
}

impl Number {
    pub(super) fn integer(&self) -> Option<u64> {
        let value = self.readings.first()?;
        (value.is_integer() && value.is_sign_positive())
            .then(|| u64::try_from(*value).ok())
            .flatten()
    }

    /// Returns true if nothing but the value is written.
    pub(super) fn is_bare(&self) -> bool {
        self.currency.is_none() && !self.is_percent && self.unit.is_none()
    }
}

/// Splits blocks into tokens and sentences.
pub(super) fn lex(blocks: &[Block]) -> Lexed {
    let mut lexer = Lexer::default();
    for (index, block) in blocks.iter().enumerate() {
        lexer.block(index, block);
    }
    lexer.out
}

#[derive(Default)]
struct Lexer {
    out: Lexed,
    at: u32,
    block: usize,
    is_code: bool,
    /// Start of the current sentence and of its tokens.
    start: usize,
    first: usize,
}

/// Maximum length of a number, a date or a range without blanks, in bytes.
const MAX_RUN: usize = 120;

impl Lexer {
    fn block(&mut self, index: usize, block: &Block) {
        let base = self.out.text.len();
        self.out.text.push_str(&block.text);
        self.out.text.push('\n');
        self.block = index;
        self.is_code = block.kind == BlockKind::Code;
        self.begin(base);
        let chars: Vec<(usize, char)> = block.text.char_indices().collect();
        let char = |at: usize| chars.get(at).map_or('\n', |(_, char)| *char);
        let offset = |at: usize| {
            chars
                .get(at)
                .map_or(block.text.len(), |(offset, _)| *offset)
        };
        let mut at = 0;
        while at < chars.len() {
            let this = char(at);
            if this == HARD_BREAK || (this == SOFT_BREAK && starts_entry(&chars, at + 1)) {
                self.end(base + offset(at));
                self.begin(base + offset(at + 1));
                at += 1;
            } else if is_blank(this) {
                at += 1;
            } else if is_delimiter(this)
                || (this == '–' && !char(at + 1).is_ascii_digit())
                || this == ':'
            {
                if this == '`' {
                    self.is_code = block.kind == BlockKind::Code || !self.is_code;
                }
                // "->" and "=>" are arrows, and no bound of what follows.
                let is_arrow = this == '>' && at > 0 && matches!(char(at - 1), '-' | '=');
                let mark = if is_arrow { '→' } else { this };
                self.mark(mark, base + offset(at), base + offset(at + 1));
                at += 1;
                if matches!(this, '!' | '?' | '…') {
                    self.end(base + offset(at));
                    self.begin(base + offset(at));
                }
            } else {
                let end = chunk_end(&chars, at);
                let (from, to) = (offset(at), offset(end));
                let chunk = &block.text[from..to];
                let is_end = self.chunk(chunk, base + from) && ends_sentence(chunk, &chars, end);
                at = end;
                if is_end {
                    self.end(base + to);
                    self.begin(base + to);
                }
            }
        }
        self.end(base + block.text.len());
        self.at += 100;
    }

    fn begin(&mut self, start: usize) {
        self.start = start;
        self.first = self.out.tokens.len();
    }

    /// Ends the sentence if it has any token.
    fn end(&mut self, end: usize) {
        if self.first < self.out.tokens.len() {
            self.out.sentences.push(Sentence {
                start: self.start,
                end,
                block: self.block,
            });
            self.first = self.out.tokens.len();
        }
    }

    fn push(&mut self, kind: Kind, fold: String, start: usize, end: usize) {
        let weight = match &kind {
            Kind::Mark(mark) => match mark {
                ',' | '—' | '–' => 4,
                '(' | ')' => 2,
                ';' => 8,
                '|' => 1,
                _ => 0,
            },
            _ if matches!(fold.as_str(), "and" | "but" | "while" | "whereas" | "plus") => 3,
            _ => 1,
        };
        self.at += weight;
        self.out.tokens.push(Token {
            kind,
            fold,
            start,
            end,
            sentence: self.out.sentences.len(),
            at: self.at,
            in_code: self.is_code,
        });
    }

    fn mark(&mut self, mark: char, start: usize, end: usize) {
        self.push(Kind::Mark(mark), mark.to_string(), start, end);
    }

    /// Adds the tokens of a run of characters. Returns true if a point is at its end.
    fn chunk(&mut self, chunk: &str, start: usize) -> bool {
        if is_url(chunk) {
            let url =
                chunk.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', ']', '\'', '*', '_']);
            self.push(Kind::Url, url.to_lowercase(), start, start + url.len());
            return chunk[url.len()..].contains('.');
        }
        let body = chunk.trim_end_matches(['.', ',', ':', '\'', '-', '–', '_']);
        let tail = &chunk[body.len()..];
        let lead = leading(body);
        let (body, start) = (&body[lead..], start + lead);
        if !body.is_empty() {
            self.classify(body, start);
        }
        let after = start + body.len();
        for (at, mark) in tail.char_indices().take(1) {
            if matches!(mark, ',' | ':' | '–') {
                self.mark(mark, after + at, after + at + mark.len_utf8());
            }
        }
        tail.contains('.')
    }

    fn classify(&mut self, whole: &str, start: usize) {
        let end = start + whole.len();
        let fold = words::fold(whole);
        if self.special(whole, &fold, start) {
            return;
        }
        if !whole.chars().any(char::is_numeric) {
            return self.words(whole, start);
        }
        // Nothing that is longer is a number or a date, and the forms below are tried piece by piece.
        if whole.len() > MAX_RUN {
            let kind = if is_path(whole) {
                Kind::Path { is_sure: false }
            } else {
                Kind::Unreadable
            };
            return self.push(kind, fold, start, end);
        }
        let body = whole.strip_suffix("'s").unwrap_or(whole);
        if let Some((kind, rest)) = date(body) {
            self.push(kind, fold, start, end);
            // A fraction of a second and an offset from UTC are not read.
            let clock = rest.and_then(|rest| rest.split(['.', '+', '-']).next());
            if let Some(Kind::Time(minutes)) = clock.and_then(time) {
                self.push(Kind::Time(minutes), String::new(), start, end);
            }
        } else if let Some(kind) = time(body) {
            self.push(kind, fold, start, end);
        } else if is_version(body) {
            self.push(Kind::Version, fold, start, end);
        } else if is_commit(body) {
            self.push(Kind::Commit, fold, start, end);
        } else if let Some((number, unit)) = number(body) {
            self.number(number, unit, body, start);
        } else if is_path(body) && (self.is_code || !is_fraction(body)) {
            self.push(
                Kind::Path {
                    is_sure: has_extension(body) || self.is_code,
                },
                fold,
                start,
                end,
            );
        } else if !self.pair(body, start) {
            let is_known =
                |char: char| !char.is_numeric() || char.is_ascii_digit() || "²³¹".contains(char);
            let is_readable = body.chars().all(is_known) && body.chars().any(char::is_alphabetic);
            let kind = if is_readable {
                Kind::Id
            } else {
                Kind::Unreadable
            };
            self.push(kind, fold, start, end);
        }
    }

    /// Adds a token with `@` or `#`.
    fn special(&mut self, whole: &str, fold: &str, start: usize) -> bool {
        let end = start + whole.len();
        if let Some(name) = whole.strip_prefix('@') {
            let length = name
                .find(|char: char| !char.is_ascii_alphanumeric() && char != '-' && char != '_')
                .unwrap_or(name.len());
            let kind = if length > 0 {
                Kind::Handle
            } else {
                Kind::Mark('@')
            };
            self.push(
                kind,
                words::fold(&name[..length]),
                start,
                start + 1 + length,
            );
            // What follows a handle is text too, but no number that a person would write so.
            let rest = name[length..].trim_start_matches('/');
            let from = end - rest.len();
            if rest.chars().any(char::is_numeric) {
                self.push(Kind::Unreadable, words::fold(rest), from, end);
            } else if !rest.is_empty() {
                self.words(rest, from);
            }
            return true;
        }
        if let Some((user, host)) = whole.split_once('@')
            && !user.is_empty()
            && host.contains('.')
        {
            self.push(Kind::Email, fold.to_owned(), start, end);
            return true;
        }
        if let Some(number) = whole.strip_prefix("GH-").and_then(reference) {
            self.push(Kind::Reference(number), fold.to_owned(), start, end);
            return true;
        }
        if !whole.contains('#') {
            return false;
        }
        // "#12/#13", "#12-#15"; in "owner/name#12" one piece alone has a number.
        let mut at = start;
        for piece in whole.split_inclusive(['/', ',', '-', '–', '+']) {
            let body = piece.trim_end_matches(['/', ',', '-', '–', '+']);
            if let Some((_, number)) = body.split_once('#')
                && let Some(value) = reference(number.strip_suffix("'s").unwrap_or(number))
            {
                self.push(
                    Kind::Reference(value),
                    format!("#{value}"),
                    at,
                    at + body.len(),
                );
            } else if body.chars().any(|char| char.is_numeric()) {
                self.push(Kind::Id, words::fold(body), at, at + body.len());
            }
            at += piece.len();
        }
        true
    }

    /// Adds the words of a run of characters without digits.
    fn words(&mut self, whole: &str, start: usize) {
        let end = start + whole.len();
        if matches!(whole, "%" | "‰" | "+" | "-") || words::currency_symbol(whole).is_some() {
            let mark = whole.chars().next().unwrap_or('%');
            return self.mark(mark, start, end);
        }
        if matches!(whole, "°" | "°C") {
            return self.push(Kind::Word, words::fold(whole), start, end);
        }
        if is_path(whole) {
            let is_sure = self.is_code || (whole.contains('/') && has_extension(whole));
            return self.push(Kind::Path { is_sure }, words::fold(whole), start, end);
        }
        // A name of code such as "poll_interval" is one word.
        let is_end = |char: char| !char.is_alphabetic() && char != '\'' && char != '_';
        let mut at = start;
        for piece in whole.split_inclusive(is_end) {
            let word = piece.trim_end_matches(is_end);
            let bare = word.strip_suffix("'s").unwrap_or(word);
            let bare = bare.trim_matches(['\'', '_']);
            if !bare.is_empty() {
                self.push(Kind::Word, words::fold(bare), at, at + word.len());
            }
            at += piece.len();
        }
    }

    fn number(&mut self, number: Number, unit: Option<&str>, body: &str, start: usize) {
        let length = unit.map_or(body.len(), |unit| body.len() - unit.len());
        let fold = words::fold(&body[..length]);
        self.push(Kind::Number(number), fold, start, start + length);
        if let Some(unit) = unit {
            self.push(
                Kind::Word,
                words::fold(unit),
                start + length,
                start + body.len(),
            );
        }
    }

    /// Adds two things with a sign between them: a range, a fraction, a number and a word.
    fn pair(&mut self, body: &str, start: usize) -> bool {
        let Some((at, sign)) = body
            .char_indices()
            .skip(1)
            .find(|(_, char)| matches!(char, '-' | '–' | '/' | '+' | '_' | ','))
        else {
            return false;
        };
        let (left, right) = (&body[..at], &body[at + sign.len_utf8()..]);
        let is_word = |text: &str| !text.is_empty() && text.chars().all(char::is_alphabetic);
        let from = start + at + sign.len_utf8();
        let is_right_number = || number(right).is_some() || time(right).is_some();
        let is_left_number = number(left).is_some() || time(left).is_some();
        let fits = match sign {
            '+' => is_left_number && right.is_empty(),
            '_' => false,
            // "14-day", and "14-day-old" by the words of its rest.
            '-' if is_left_number
                && right
                    .chars()
                    .all(|char| char.is_alphabetic() || char == '-') =>
            {
                true
            }
            '-' if is_word(left) => {
                words::PREFIXES.contains(&left.to_lowercase().as_str()) && is_right_number()
            }
            ',' => is_left_number && right.starts_with(|char: char| char.is_ascii_digit()),
            _ => (is_left_number && is_right_number()) || (is_version(left) && is_version(right)),
        };
        if !fits {
            return false;
        }
        // "6-7pm": the half of the day is that of the end.
        let left_time = number(left)
            .filter(|_| right.ends_with('m'))
            .and_then(|_| time(right))
            .and_then(|_| time(&format!("{left}{}", &right[right.len() - 2..])));
        match left_time {
            Some(kind) => self.push(kind, words::fold(left), start, start + at),
            None => self.classify(left, start),
        }
        if sign != '-' || is_right_number() || is_version(right) {
            self.mark(sign, start + at, from);
        }
        if !right.is_empty() {
            self.classify(right, from);
        }
        true
    }
}
