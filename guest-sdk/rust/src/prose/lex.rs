//! Tokens and sentences of a text.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::blocks::{Block, BlockKind, HARD_BREAK, SOFT_BREAK};
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

const DELIMITERS: &str = "()[]{}<>\"`|;!?*…=→←—,&~≈•·^\\";
/// Maximum length of a number, a date or a range without blanks, in bytes.
const MAX_RUN: usize = 120;
/// Abbreviations whose point does not end a sentence.
const ABBREVIATIONS: [&str; 14] = [
    "mr", "mrs", "ms", "dr", "st", "approx", "ca", "e.g", "i.e", "vs", "cf", "incl", "resp", "prof",
];
/// Words that are abbreviations in front of a number.
const COUNTED: [&str; 4] = ["no", "nr", "fig", "sec"];

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
                self.mark(this, base + offset(at), base + offset(at + 1));
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
            if let Some(Kind::Time(minutes)) = rest.and_then(time) {
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
        if is_path(whole) {
            let is_sure = self.is_code || (whole.contains('/') && has_extension(whole));
            return self.push(Kind::Path { is_sure }, words::fold(whole), start, end);
        }
        let mut at = start;
        for piece in whole.split_inclusive(|char: char| !char.is_alphabetic() && char != '\'') {
            let word = piece.trim_end_matches(|char: char| !char.is_alphabetic() && char != '\'');
            let bare = word.strip_suffix("'s").unwrap_or(word).trim_matches('\'');
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

fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == SOFT_BREAK
}

fn is_delimiter(char: char) -> bool {
    DELIMITERS.contains(char)
}

fn is_url(chunk: &str) -> bool {
    chunk.starts_with("http://") || chunk.starts_with("https://") || chunk.starts_with("www.")
}

/// Returns true if the line looks like `Key: value` or `Key — value`, so that it does not continue the line above.
fn starts_entry(chars: &[(usize, char)], at: usize) -> bool {
    let mut words = 0;
    let mut last = ' ';
    let is_capital = chars.get(at).is_some_and(|(_, char)| char.is_uppercase());
    for (_, char) in chars.iter().skip(at).take(50) {
        let char = *char;
        match char {
            ':' => return last.is_alphanumeric() || last == ')' || last == '*',
            '—' | '–' | '-' if last == ' ' => return is_capital,
            ' ' if last != ' ' && last != '*' => words += 1,
            '.' | ',' | ';' | HARD_BREAK | SOFT_BREAK => return false,
            _ => {}
        }
        if words > 4 {
            return false;
        }
        last = char;
    }
    false
}

/// Returns the end of the run of characters that begins here.
fn chunk_end(chars: &[(usize, char)], start: usize) -> usize {
    let char = |at: usize| chars.get(at).map_or('\n', |(_, char)| *char);
    let is_digit = |at: usize| char(at).is_ascii_digit();
    let head: String = (start..start + 8).map(char).collect();
    if is_url(&head) || head.starts_with("https:/") || head.starts_with("www.") {
        let mut end = start;
        while end < chars.len() && !is_blank(char(end)) && !"<>\"`|".contains(char(end)) {
            end += 1;
        }
        return end;
    }
    // Whether all so far is a number whose groups of digits blanks may separate.
    let (mut is_grouped, mut digits, mut groups) = (true, 0, 0);
    let mut end = start;
    while end < chars.len() {
        let this = char(end);
        let between = end > start && is_digit(end - 1) && is_digit(end + 1);
        if this.is_ascii_digit() {
            digits += 1;
        } else if matches!(this, ' ' | '\u{a0}') {
            let continues = is_grouped
                && (1..=3).contains(&digits)
                && (groups == 0 || digits == 3)
                && (1..=3).all(|next| is_digit(end + next))
                && !char(end + 4).is_alphanumeric()
                && !(matches!(char(end + 4), ':' | '-' | '/' | '–') && is_digit(end + 5));
            if !continues {
                break;
            }
            groups += 1;
            digits = 0;
        } else if is_blank(this) || this == HARD_BREAK {
            break;
        } else {
            is_grouped &=
                digits == 0 && (matches!(this, '-' | '+') || words::is_currency_char(this));
            match this {
                ',' | ':' if !between => break,
                '–' if end > start
                    && !is_digit(end + 1)
                    && !words::is_currency_char(char(end + 1)) =>
                {
                    break;
                }
                ',' | ':' | '–' => {}
                _ if is_delimiter(this) => break,
                _ => {}
            }
        }
        end += 1;
    }
    // A comma or a colon after the run belongs to it, as the caller cuts it off again.
    if matches!(char(end), ',') && end > start {
        end + 1
    } else {
        end.max(start + 1)
    }
}

/// Returns the number of bytes in front of a run that are not part of it.
fn leading(body: &str) -> usize {
    let mut rest = body;
    loop {
        let next = rest.chars().nth(1);
        let is_number =
            next.is_some_and(|next| next.is_ascii_digit() || words::is_currency_char(next));
        let cut = match rest.chars().next() {
            Some('\'' | ':' | '_') => 1,
            Some('-' | '+') if next.is_some() && !is_number => 1,
            Some('.') if next == Some('.') => 1,
            Some('–') => 3,
            _ => return body.len() - rest.len(),
        };
        rest = &rest[cut..];
    }
}

/// Returns true if the point at the end of a run ends a sentence.
fn ends_sentence(chunk: &str, chars: &[(usize, char)], end: usize) -> bool {
    let body = chunk.trim_end_matches('.');
    let lower = body.to_lowercase();
    let is_initial = body.chars().count() == 1 && body.chars().all(char::is_alphabetic);
    let rest = chars.iter().skip(end).map(|(_, char)| *char).take(40);
    let next: String = rest
        .skip_while(|char| is_blank(*char) || matches!(char, ')' | '"' | '\'' | '*' | ']'))
        .take_while(|char| char.is_alphanumeric())
        .collect();
    let is_day = body.len() <= 2 && body.bytes().all(|byte| byte.is_ascii_digit());
    if is_day && words::month(&next.to_lowercase()).is_some() {
        return false;
    }
    if COUNTED.contains(&lower.as_str()) {
        return !next.starts_with(|char: char| char.is_ascii_digit());
    }
    !is_initial && !ABBREVIATIONS.contains(&lower.as_str()) && !next.starts_with(char::is_lowercase)
}

fn reference(text: &str) -> Option<u64> {
    let is_number =
        !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Reads a date written in digits, and returns what follows a `T` after it.
fn date(text: &str) -> Option<(Kind, Option<&str>)> {
    let (text, rest) = match text.split_once('T') {
        Some((day, rest)) if day.len() == 10 => (day, Some(rest)),
        _ => (text, None),
    };
    let sign = text.chars().find(|char| matches!(char, '-' | '/' | '.'))?;
    let parts: Vec<&str> = text.split(sign).take(4).collect();
    let numbers: Option<Vec<i16>> = parts
        .iter()
        .map(|part| {
            let is_number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        })
        .collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let day = |year: i16, month: i16, day: i16| {
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()
            .map(|date| Day {
                year: Some(year),
                month: Some(date.month()),
                day: Some(date.day()),
                weekday: None,
            })
    };
    let readings: Vec<Day> = match (numbers.as_deref(), lengths.as_slice()) {
        (Some([year, month]), [4, 2])
            if sign == '-' && (1..=12).contains(month) && (1900..2200).contains(year) =>
        {
            vec![Day {
                year: Some(*year),
                month: i8::try_from(*month).ok(),
                ..Day::default()
            }]
        }
        (Some([a, b, c]), [4, ..]) if sign != '.' => day(*a, *b, *c).into_iter().collect(),
        (Some([a, b, c]), [1 | 2, 1 | 2, 2 | 4]) if sign != '-' => {
            let year = if lengths[2] == 2 { 2000 + c } else { *c };
            let month_first = if sign == '/' { day(year, *a, *b) } else { None };
            day(year, *b, *a).into_iter().chain(month_first).collect()
        }
        (None, [1 | 2, _, 4]) => {
            let month = words::month(&parts[1].to_lowercase()).map(i16::from);
            let written = parts[2].parse().ok().zip(parts[0].parse().ok()).zip(month);
            written
                .and_then(|((year, at), month)| day(year, month, at))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    };
    (!readings.is_empty()).then_some((Kind::Date(readings), rest))
}

/// Reads a time such as `14:30`, `2:30pm`, `6pm` and `14h30`.
fn time(text: &str) -> Option<Kind> {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_end_matches('z');
    let (body, half) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(body), _) => (body, Some(0)),
        (_, Some(body)) => (body, Some(12)),
        _ => (
            lower
                .strip_suffix('h')
                .filter(|body| body.contains(':'))
                .unwrap_or(lower),
            None,
        ),
    };
    let is_number = |part: &str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let sign = body.chars().find(|char| !char.is_ascii_digit());
    let parts: Vec<&str> = body.split([':', '.', 'h']).take(4).collect();
    if !parts.iter().all(|part| is_number(part)) || parts.len() > 3 {
        return None;
    }
    let (hour, minute) = match (parts.as_slice(), sign) {
        ([hour], None) if half.is_some() => (hour.parse().ok()?, 0),
        ([hour, minute], Some('.')) if half.is_some() && minute.len() == 2 => {
            (hour.parse().ok()?, minute.parse().ok()?)
        }
        ([hour, minute, ..], Some(':' | 'h')) if minute.len() == 2 => {
            (hour.parse().ok()?, minute.parse().ok()?)
        }
        _ => return None,
    };
    clock(hour, minute, half, parts[0].starts_with('0')).map(Kind::Time)
}

/// Returns the readings of a time in minutes since midnight. `half` is 0 for am and 12 for pm.
pub(super) fn clock(
    hour: u32,
    minute: u32,
    half: Option<u32>,
    is_whole_day: bool,
) -> Option<Vec<u32>> {
    if minute > 59 || hour > 24 || (hour == 24 && minute > 0) {
        return None;
    }
    let minutes = |hour: u32| (hour % 24) * 60 + minute;
    match half {
        Some(_) if hour == 0 || hour > 12 => None,
        Some(half) => Some(vec![minutes(hour % 12 + half)]),
        None if is_whole_day || hour == 0 || hour > 12 => Some(vec![minutes(hour)]),
        None => Some(vec![minutes(hour), minutes((hour + 12) % 24)]),
    }
}

fn is_version(text: &str) -> bool {
    let body = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let core = body.split(['-', '+']).next().unwrap_or_default();
    let parts = core.split('.').take(9).collect::<Vec<_>>();
    let has_digits = parts.iter().all(|part| {
        !part.is_empty()
            && part.len() <= 9
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'x')
    });
    // "1.234.567" is a number with separators.
    let is_number = body.len() == text.len() && number(core).is_some();
    let tail = &body[core.len()..];
    has_digits
        && core.starts_with(|char: char| char.is_ascii_digit())
        && (body.len() < text.len() || (parts.len() > 2 && !is_number))
        && tail
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'+'))
}

fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_path(text: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || "/._-+~@%,:".contains(char);
    if !text.chars().all(is_name) {
        return false;
    }
    if text.contains('/') {
        return has_extension(text)
            || text.starts_with("./")
            || text.starts_with(['/', '~'])
            || text.ends_with('/')
            || text.starts_with('.')
            || text.matches('/').count() > 1;
    }
    let extension = text.rsplit_once('.').map(|(stem, end)| (stem.len(), end));
    extension.is_some_and(|(stem, end)| stem > 1 && words::EXTENSIONS.contains(&end))
}

fn has_extension(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=6).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && end.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

fn is_fraction(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'/')
}

/// Reads a number with a sign, a currency and a suffix, and returns a unit after it as text.
fn number(text: &str) -> Option<(Number, Option<&str>)> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-Decimal::ONE, rest),
        None => (Decimal::ONE, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mut currency, rest) = words::leading_currency(rest);
    let (sign, rest) = match rest.strip_prefix('-') {
        Some(rest) if currency.is_some() => (-sign, rest),
        _ => (sign, rest),
    };
    let (readings, length) = literal(rest)?;
    let suffix = &rest[length..];
    let lower = suffix.to_lowercase();
    let mut number = Number::default();
    let mut factor = Decimal::ONE;
    let mut unit = None;
    match lower.as_str() {
        "" | "x" | "×" => {}
        "+" => number.is_hedged = true,
        "%" => number.is_percent = true,
        "st" | "nd" | "rd" | "th" => number.is_ordinal = true,
        "k" => factor = Decimal::from(1_000),
        "m" | "mn" if currency.is_some() => factor = Decimal::from(1_000_000),
        "bn" => factor = Decimal::from(1_000_000_000),
        _ => match words::currency_symbol(suffix) {
            Some(code) => currency = Some(code),
            None => {
                let is_unit =
                    words::unit(&lower).is_some() || words::currency_word(&lower).is_some();
                unit = is_unit.then_some(suffix);
                unit?;
            }
        },
    }
    number.currency = currency;
    number.readings = readings
        .iter()
        .filter_map(|value| value.checked_mul(factor)?.checked_mul(sign))
        .collect();
    (!number.readings.is_empty()).then_some((number, unit))
}

/// Reads digits with separators from the start of a text. Returns the values and the length.
fn literal(text: &str) -> Option<(Vec<Decimal>, usize)> {
    let mut groups = vec![String::new()];
    let mut signs = Vec::new();
    let mut length = 0;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_ascii_digit() {
            groups.last_mut()?.push(char);
        } else if matches!(char, '.' | ',' | '\'' | ' ' | '\u{a0}')
            && chars.peek().is_some_and(char::is_ascii_digit)
        {
            signs.push(if char == '\u{a0}' { ' ' } else { char });
            groups.push(String::new());
        } else {
            break;
        }
        length += char.len_utf8();
        if length > 60 {
            return None;
        }
    }
    let half = match text[length..].chars().next() {
        Some('½') => Some(Decimal::new(5, 1)),
        Some('¼') => Some(Decimal::new(25, 2)),
        Some('¾') => Some(Decimal::new(75, 2)),
        _ => None,
    };
    if let Some(half) = half.filter(|_| signs.is_empty()) {
        let whole = if groups[0].is_empty() {
            Decimal::ZERO
        } else {
            decimal(&groups[0])?
        };
        return Some((vec![whole.checked_add(half)?], length + '½'.len_utf8()));
    }
    if groups[0].is_empty() {
        return None;
    }
    let is_grouped = |groups: &[String]| {
        (1..=3).contains(&groups[0].len())
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|group| group.len() == 3)
    };
    let last = signs.last().copied();
    let is_same = signs.iter().all(|sign| Some(*sign) == last);
    let (end, whole) = groups.split_last()?;
    let written = match (last, signs.len()) {
        (None, _) => vec![groups[0].clone()],
        (Some('.'), 1) if is_grouped(&groups) => vec![groups.join("."), groups.concat()],
        (Some('.'), 1) => vec![groups.join(".")],
        (Some(','), 1) if !is_grouped(&groups) => vec![groups.join(".")],
        _ if is_same && is_grouped(&groups) => vec![groups.concat()],
        (Some('.' | ','), _) if !is_same => {
            let first = signs[0];
            let is_outer =
                Some(first) != last && signs[..signs.len() - 1].iter().all(|sign| *sign == first);
            if !is_outer || !is_grouped(whole) {
                return None;
            }
            vec![format!("{}.{end}", whole.concat())]
        }
        _ => return None,
    };
    let values: Vec<Decimal> = written.iter().filter_map(|text| decimal(text)).collect();
    (!values.is_empty()).then_some((values, length))
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::from_str_exact(text)
        .ok()
        .map(|value| value.normalize())
}
