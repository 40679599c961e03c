//! Mentions of numbers, dates, times and references, each made of one or more tokens.

use rust_decimal::Decimal;

use super::lex::{Day, Kind, Lexed, Number, Token};
use super::words::{self, NumberWord};

/// Something that a text states.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) what: What,
    /// First token and the one after the last.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Whether the value is only said to be near, or above or below: "almost 14".
    pub(super) is_hedged: bool,
    /// Whether it is an end of a range, or one of two alternatives.
    pub(super) is_end: bool,
    /// Whether it is what something else is compared with: "than 14", "up from 14".
    pub(super) is_aside: bool,
    /// Whether the word for issues or pull requests in front makes it a reference too.
    pub(super) is_labelled: bool,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Number(Number),
    /// Both ends.
    Range(Number, Number),
    Date(Vec<Day>),
    Time(Vec<u32>),
    Version,
    Commit,
    Reference(u64),
    Handle,
    Email,
    Url,
    Path {
        is_sure: bool,
    },
    Id,
    Unreadable,
}

impl Mention {
    pub(super) fn start(&self, lexed: &Lexed) -> usize {
        lexed.tokens[self.first].start
    }

    pub(super) fn end(&self, lexed: &Lexed) -> usize {
        lexed.tokens[self.last - 1].end
    }

    pub(super) fn written<'a>(&self, lexed: &'a Lexed) -> &'a str {
        &lexed.text[self.start(lexed)..self.end(lexed)]
    }
}

/// Finds all mentions in a text, in their order.
pub(super) fn mentions(lexed: &Lexed) -> Vec<Mention> {
    let reader = Reader {
        tokens: &lexed.tokens,
    };
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < lexed.tokens.len() {
        match reader.one(at) {
            Some((what, next)) => {
                // In "In March 14 people came" the number is no day, for all that can be known.
                if let (What::Date(_), Some(number)) = (&what, reader.trailing_number(at, next)) {
                    mentions.push(mention(What::Number(number), next - 1, next));
                }
                mentions.push(mention(what, at, next));
                at = next;
            }
            None => at += 1,
        }
    }
    reader.qualify(&mut mentions);
    reader.join(&mut mentions);
    mentions
}

pub(super) fn mention(what: What, first: usize, last: usize) -> Mention {
    Mention {
        what,
        first,
        last,
        is_hedged: false,
        is_end: false,
        is_aside: false,
        is_labelled: false,
    }
}

/// Reader of the tokens of a text.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token],
}

impl Reader<'_> {
    /// Returns the token at a position if it is in the same sentence as the one before it.
    pub(super) fn next(&self, at: usize) -> Option<&Token> {
        let token = self.tokens.get(at)?;
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before
            .is_none_or(|before| before.sentence == token.sentence)
            .then_some(token)
    }

    /// Returns the folded word at a position, or an empty text.
    pub(super) fn word(&self, at: usize) -> &str {
        match self.next(at) {
            Some(token) if token.kind == Kind::Word => &token.fold,
            _ => "",
        }
    }

    /// Returns the folded word `back` places before a position in the same sentence.
    pub(super) fn before(&self, at: usize, back: usize) -> &str {
        let Some(index) = at.checked_sub(back) else {
            return "";
        };
        match (self.tokens.get(index), self.tokens.get(at)) {
            (Some(token), Some(this)) if token.sentence == this.sentence => &token.fold,
            _ => "",
        }
    }

    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.next(at)
            .is_some_and(|token| token.kind == Kind::Mark(mark))
    }

    fn one(&self, at: usize) -> Option<(What, usize)> {
        if let Some((days, next)) = self.date(at) {
            return Some((What::Date(days), next));
        }
        if let Some((minutes, next)) = self.time(at) {
            return Some((What::Time(minutes), next));
        }
        if let Some((number, next)) = self.number(at) {
            return Some((What::Number(number), next));
        }
        let what = match &self.tokens[at].kind {
            Kind::Word | Kind::Mark(_) | Kind::Number(_) | Kind::Date(_) => return None,
            Kind::Time(minutes) => What::Time(minutes.clone()),
            Kind::Version => What::Version,
            Kind::Commit => What::Commit,
            Kind::Reference(number) => What::Reference(*number),
            Kind::Handle => What::Handle,
            Kind::Email => What::Email,
            Kind::Url => What::Url,
            Kind::Path { is_sure } => What::Path { is_sure: *is_sure },
            Kind::Id => What::Id,
            Kind::Unreadable => What::Unreadable,
        };
        Some((what, at + 1))
    }

    /// Reads a number with its currency, percent sign or unit.
    fn number(&self, at: usize) -> Option<(Number, usize)> {
        let leading = match &self.tokens[at].kind {
            Kind::Mark(mark) => words::currency_symbol(&mark.to_string()),
            Kind::Word => words::currency_word(&self.tokens[at].fold),
            _ => None,
        };
        if let Some(found) = self.one_unit(at) {
            return Some(found);
        }
        let first = at + usize::from(leading.is_some());
        let (mut number, mut next) = self.value(first)?;
        next += self.and_a_half(&mut number, next);
        if leading.is_some() && number.currency.is_some() {
            return None;
        }
        number.currency = number.currency.or(leading);
        let factor = match self.word(next) {
            "thousand" => 1_000,
            "million" => 1_000_000,
            "billion" => 1_000_000_000,
            "hundred" => 100,
            "dozen" => 12,
            _ => 1,
        };
        if factor > 1 {
            next += 1;
            let factor = Decimal::from(factor);
            let times = number
                .readings
                .iter()
                .filter_map(|value| value.checked_mul(factor));
            number.readings = times.collect();
        }
        // "a 14-day trial", "14 - day"
        let at_unit = next;
        let word = self.word(at_unit);
        let currency = match self.next(at_unit).map(|token| &token.kind) {
            Some(Kind::Mark(mark)) => words::currency_symbol(&mark.to_string()),
            _ => words::currency_word(word),
        };
        if self.is_mark(at_unit, '%') || matches!(word, "percent" | "pct" | "percentage") {
            number.is_percent = true;
            next = at_unit + 1 + usize::from(matches!(self.word(at_unit + 1), "points" | "point"));
        } else if word == "per" && self.word(at_unit + 1) == "cent" {
            number.is_percent = true;
            next = at_unit + 2;
        } else if let Some(code) = currency.filter(|_| number.currency.is_none()) {
            number.currency = Some(code);
            next = at_unit + 1;
        } else if let Some(unit) = words::unit(word).filter(|_| number.currency.is_none()) {
            number.unit = Some(unit);
            next = at_unit + 1;
            next += self.and_a_half(&mut number, next);
        }
        Some((number, next))
    }

    /// Adds "and a half", and returns its length.
    fn and_a_half(&self, number: &mut Number, at: usize) -> usize {
        let is_half =
            self.word(at) == "and" && self.word(at + 1) == "a" && self.word(at + 2) == "half";
        if !is_half {
            return 0;
        }
        let half = Decimal::new(5, 1);
        let sums = number
            .readings
            .iter()
            .filter_map(|value| value.checked_add(half));
        number.readings = sums.collect();
        3
    }

    /// Reads "an hour", "half a day" and "a quarter of an hour".
    fn one_unit(&self, at: usize) -> Option<(Number, usize)> {
        let is_article = |at: usize| matches!(self.fold(at), "a" | "an");
        let this = self.tokens.get(at)?.fold.as_str();
        let (value, place) = match this {
            "half" if is_article(at + 1) => (Decimal::new(5, 1), at + 2),
            "quarter" if self.word(at + 1) == "of" && is_article(at + 2) => {
                (Decimal::new(25, 2), at + 3)
            }
            "a" | "an" => (Decimal::ONE, at + 1),
            _ => return None,
        };
        let word = self.word(place);
        let mut number = Number {
            readings: vec![value],
            unit: Some(words::unit(word).filter(|_| word.len() > 2)?),
            // "A day" and "a second" are often no durations.
            is_soft: value == Decimal::ONE,
            ..Number::default()
        };
        let next = place + 1;
        let more = self.and_a_half(&mut number, next);
        number.is_soft &= more == 0;
        Some((number, next + more))
    }

    /// Reads a number in digits or in words.
    pub(super) fn value(&self, at: usize) -> Option<(Number, usize)> {
        let token = self.tokens.get(at)?;
        match &token.kind {
            Kind::Number(number) => Some((number.clone(), at + 1)),
            Kind::Word => self.written_out(at),
            _ => None,
        }
    }

    /// Reads a number in words, such as "twenty-one", "two hundred and five" and "third".
    fn written_out(&self, start: usize) -> Option<(Number, usize)> {
        let word = &self.tokens[start].fold;
        if let Some(value) = words::soft_number(word) {
            return Some((soft(value), start + 1));
        }
        if word == "half" && self.word(start + 1) == "a" && self.word(start + 2) == "dozen" {
            return Some((plain(6, false), start + 3));
        }
        let mut total: u64 = 0;
        let mut current: Option<u64> = None;
        let mut at = start;
        let mut is_ordinal = false;
        while at < start + 12 && !is_ordinal {
            let word = if at == start {
                word.as_str()
            } else {
                self.word(at)
            };
            if word == "and" && at > start {
                let is_after_hundred =
                    current.map_or(total > 0, |value| value >= 100 && value % 100 == 0);
                let follows = matches!(
                    words::number(self.word(at + 1)),
                    Some((NumberWord::One(_) | NumberWord::Ten(_), _))
                );
                if !is_after_hundred || !follows {
                    break;
                }
                at += 1;
                continue;
            }
            let Some((part, ordinal)) = words::number(word) else {
                break;
            };
            let merged = match (part, current) {
                (NumberWord::One(value), None) => Some(value),
                (NumberWord::One(value), Some(so_far)) => {
                    let is_after_ten =
                        so_far % 100 >= 20 && so_far % 10 == 0 && (1..10).contains(&value);
                    let is_after_hundred = so_far >= 100 && so_far % 100 == 0 && value > 0;
                    (is_after_ten || is_after_hundred).then(|| so_far + value)
                }
                (NumberWord::Ten(value), None) => Some(value),
                (NumberWord::Ten(value), Some(so_far)) => {
                    (so_far >= 100 && so_far % 100 == 0).then(|| so_far + value)
                }
                (NumberWord::Factor(factor @ (12 | 100)), so_far) => so_far
                    .unwrap_or(1)
                    .checked_mul(factor)
                    .filter(|value| *value < 10_000),
                (NumberWord::Factor(factor), so_far) => {
                    total += so_far.unwrap_or(1) * factor;
                    current = None;
                    at += 1;
                    is_ordinal = ordinal;
                    continue;
                }
            };
            let Some(merged) = merged else { break };
            current = Some(merged);
            is_ordinal = ordinal;
            at += 1;
        }
        if at == start {
            return None;
        }
        let value = total + current.unwrap_or(0);
        let is_soft = at == start + 1 && matches!(word.as_str(), "one" | "first" | "second");
        let mut number = plain(value, is_ordinal);
        number.is_soft = is_soft;
        Some((number, at))
    }

    pub(super) fn fold(&self, at: usize) -> &str {
        self.next(at).map_or("", |token| token.fold.as_str())
    }
}

fn plain(value: u64, is_ordinal: bool) -> Number {
    Number {
        readings: vec![Decimal::from(value)],
        is_ordinal,
        ..Number::default()
    }
}

fn soft(value: u64) -> Number {
    Number {
        is_soft: true,
        ..plain(value, false)
    }
}
