//! Mentions of numbers, dates, times and references, each made of one or more tokens.

use rust_decimal::Decimal;

use super::lex::{Day, Kind, Lexed, Number, Token, clock};
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

fn mention(what: What, first: usize, last: usize) -> Mention {
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

struct Reader<'a> {
    tokens: &'a [Token],
}

impl Reader<'_> {
    /// Returns the token at a position if it is in the same sentence as the one before it.
    fn next(&self, at: usize) -> Option<&Token> {
        let token = self.tokens.get(at)?;
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before
            .is_none_or(|before| before.sentence == token.sentence)
            .then_some(token)
    }

    /// Returns the folded word at a position, or an empty text.
    fn word(&self, at: usize) -> &str {
        match self.next(at) {
            Some(token) if token.kind == Kind::Word => &token.fold,
            _ => "",
        }
    }

    /// Returns the folded word `back` places before a position in the same sentence.
    fn before(&self, at: usize, back: usize) -> &str {
        let Some(index) = at.checked_sub(back) else {
            return "";
        };
        match (self.tokens.get(index), self.tokens.get(at)) {
            (Some(token), Some(this)) if token.sentence == this.sentence => &token.fold,
            _ => "",
        }
    }

    fn is_mark(&self, at: usize, mark: char) -> bool {
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
        let first = at + usize::from(leading.is_some());
        let (mut number, mut next) = self.value(first)?;
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
        }
        Some((number, next))
    }

    /// Reads a number in digits or in words.
    fn value(&self, at: usize) -> Option<(Number, usize)> {
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

    fn time(&self, at: usize) -> Option<(Vec<u32>, usize)> {
        let word = self.word(at);
        match word {
            "noon" | "midday" => return Some((vec![12 * 60], at + 1)),
            "midnight" => return Some((vec![0], at + 1)),
            "half" if self.word(at + 1) == "past" => return self.past(at + 2, 30),
            "quarter" if self.word(at + 1) == "past" => return self.past(at + 2, 15),
            "quarter" if self.word(at + 1) == "to" => return self.past(at + 2, -15),
            _ => {}
        }
        let token = self.tokens.get(at)?;
        if let Kind::Time(minutes) = &token.kind {
            let half = self.half(at + 1);
            let readings = half.and_then(|(half, next)| {
                let first = *minutes.first()?;
                Some((clock(first / 60, first % 60, Some(half), false)?, next))
            });
            return Some(readings.unwrap_or_else(|| (minutes.clone(), at + 1)));
        }
        let (number, next) = self.value(at)?;
        if !number.is_bare() || number.is_ordinal {
            return None;
        }
        let is_four_digits =
            token.fold.len() == 4 && token.fold.bytes().all(|byte| byte.is_ascii_digit());
        if is_four_digits
            && matches!(
                self.word(next),
                "hours" | "hrs" | "h" | "utc" | "gmt" | "local"
            )
        {
            let (hour, minute) = (token.fold[..2].parse().ok()?, token.fold[2..].parse().ok()?);
            return clock(hour, minute, None, true).map(|readings| (readings, next + 1));
        }
        let (hour, minute) = match token.fold.split_once('.') {
            Some((hour, minute)) if minute.len() == 2 => (hour.parse().ok()?, minute.parse().ok()?),
            Some(_) => return None,
            None => (u32::try_from(number.integer()?).ok()?, 0),
        };
        if let Some((half, next)) = self.half(next) {
            return clock(hour, minute, Some(half), false).map(|readings| (readings, next));
        }
        if self.word(next) == "o'clock" {
            return clock(hour, minute, None, false).map(|readings| (readings, next + 1));
        }
        None
    }

    /// Reads "am", "pm", "a.m." or "p.m.".
    fn half(&self, at: usize) -> Option<(u32, usize)> {
        match (self.word(at), self.word(at + 1)) {
            ("am", _) => Some((0, at + 1)),
            ("pm", _) => Some((12, at + 1)),
            ("a", "m") => Some((0, at + 2)),
            ("p", "m") => Some((12, at + 2)),
            _ => None,
        }
    }

    /// Reads the hour after "half past", and adds the minutes.
    fn past(&self, at: usize, minutes: i32) -> Option<(Vec<u32>, usize)> {
        let (number, next) = self.value(at)?;
        let hour = i32::try_from(number.integer()?)
            .ok()
            .filter(|hour| (1..=24).contains(hour))?;
        let at = u32::try_from((hour * 60 + minutes).rem_euclid(24 * 60)).ok()?;
        let half = self.half(next);
        let readings = match half {
            Some((half, _)) => clock((at / 60 + 11) % 12 + 1, at % 60, Some(half), false)?,
            None => clock(at / 60, at % 60, None, false)?,
        };
        Some((readings, half.map_or(next, |(_, next)| next)))
    }

    fn date(&self, start: usize) -> Option<(Vec<Day>, usize)> {
        let mut at = start;
        let weekday = words::weekday(&self.tokens[start].fold)
            .filter(|_| self.tokens[start].kind == Kind::Word);
        if weekday.is_some() {
            at += 1;
            at += usize::from(self.is_mark(at, ','));
            at += usize::from(self.is_mark(at, '('));
            at += usize::from(self.word(at) == "the");
        }
        let named = weekday.map(|(day, _)| day);
        if let Some((mut days, next)) = self.calendar(at, weekday.is_some()) {
            for day in &mut days {
                day.weekday = named;
            }
            return Some((days, next));
        }
        let (day, is_whole) = weekday?;
        is_whole.then(|| {
            let day = Day {
                weekday: Some(day),
                ..Day::default()
            };
            (vec![day], start + 1)
        })
    }

    /// Reads a date without its weekday.
    fn calendar(&self, at: usize, is_after_weekday: bool) -> Option<(Vec<Day>, usize)> {
        let token = self.tokens.get(at)?;
        if is_after_weekday {
            self.next(at)?;
        }
        if let Kind::Date(days) = &token.kind {
            return Some((days.clone(), at + 1));
        }
        let day_of = |number: &Number| {
            let value = number.integer().filter(|_| number.is_bare())?;
            i8::try_from(value)
                .ok()
                .filter(|day| (1..=31).contains(day))
        };
        let month_at = |at: usize| words::month(self.word(at));
        if let Some(month) = month_at(at).filter(|_| token.kind == Kind::Word) {
            let bare = &self.tokens[at];
            let mut day = Day {
                month: Some(month),
                ..Day::default()
            };
            let mut next = at + 1;
            next += usize::from(self.word(next) == "the");
            if let Some((number, end)) = self.value_in_sentence(next)
                && let Some(value) = day_of(&number)
            {
                day.day = Some(value);
                next = end;
                let comma = usize::from(self.is_mark(next, ','));
                if let Some(year) = self.year(next + comma) {
                    day.year = Some(year);
                    next += comma + 1;
                }
                return Some((vec![day], next));
            }
            if let Some(year) = self.year(at + 1) {
                day.year = Some(year);
                return Some((vec![day], at + 2));
            }
            let is_clear = words::is_clear_month(&bare.fold);
            return is_clear.then_some((vec![day], at + 1));
        }
        let (number, mut next) = self.value(at)?;
        let value = day_of(&number)?;
        next += usize::from(self.word(next) == "of");
        let month = month_at(next)?;
        next += 1;
        let comma = usize::from(self.is_mark(next, ','));
        let year = self.year(next + comma);
        next += if year.is_some() { comma + 1 } else { 0 };
        let day = Day {
            year,
            month: Some(month),
            day: Some(value),
            weekday: None,
        };
        Some((vec![day], next))
    }

    fn value_in_sentence(&self, at: usize) -> Option<(Number, usize)> {
        self.next(at)?;
        self.value(at)
    }

    fn year(&self, at: usize) -> Option<i16> {
        let token = self.next(at)?;
        let is_year = token.fold.len() == 4 && matches!(token.kind, Kind::Number(_));
        let year = token.fold.parse().ok().filter(|_| is_year)?;
        (1900..2200).contains(&year).then_some(year)
    }

    /// Returns the number at the end of a date of a month and a number in digits, which may count
    /// something else.
    fn trailing_number(&self, first: usize, last: usize) -> Option<Number> {
        let is_month = last - first == 2 && words::month(&self.tokens[first].fold).is_some();
        match &self.tokens[last - 1].kind {
            Kind::Number(number) if is_month && !number.is_ordinal && number.is_bare() => {
                let mut number = number.clone();
                number.is_soft = true;
                Some(number)
            }
            _ => None,
        }
    }

    /// Marks numbers that are hedged, compared with, or references by the word in front.
    fn qualify(&self, mentions: &mut [Mention]) {
        for index in 0..mentions.len() {
            let (first, last) = (mentions[index].first, mentions[index].last);
            let (one, two) = (self.before(first, 1), self.before(first, 2));
            let (next, after) = (self.fold(last), self.fold(last + 1));
            let it = &mut mentions[index];
            it.is_hedged = matches!(
                (two, one),
                ("more" | "less" | "fewer" | "later" | "earlier", "than")
                    | ("at", "least" | "most")
                    | ("up", "to")
            ) || matches!(
                one,
                "nearly"
                    | "almost"
                    | "roughly"
                    | "approximately"
                    | "approx"
                    | "circa"
                    | "ca"
                    | "~"
                    | "≈"
            ) || (next == "or"
                && matches!(
                    after,
                    "so" | "more" | "less" | "fewer" | "later" | "earlier"
                ))
                || next == "+"
                || matches!(&it.what, What::Number(number) if number.is_hedged);
            it.is_aside = matches!(one, "than" | "versus" | "vs" | "previously" | "formerly")
                || matches!(
                    (two, one),
                    ("instead", "of") | ("rather", "than") | ("compared", "with" | "to")
                )
                || (one == "from"
                    && matches!(
                        two,
                        "up" | "down" | "rose" | "fell" | "grew" | "dropped" | "increased"
                    ))
                || (matches!(next, "more" | "fewer" | "less") && after == "than");
            it.is_aside &= !it.is_hedged;
            if let What::Number(number) = &mut it.what {
                number.is_soft |= number.is_bare() && words::is_part_of_text(next);
            }
            let What::Number(number) = &it.what else {
                continue;
            };
            let Some(value) = number
                .integer()
                .filter(|_| number.is_bare() && !number.is_ordinal)
            else {
                continue;
            };
            let is_request = matches!(two, "pull" | "merge");
            let is_one =
                matches!(one, "issue" | "pr" | "ticket" | "mr") || (one == "request" && is_request);
            let is_many =
                matches!(one, "issues" | "prs" | "tickets") || (one == "requests" && is_request);
            let is_listed = index > 0 && {
                let before = &mentions[index - 1];
                let between = self
                    .tokens
                    .get(before_end(&mentions[index - 1])..first)
                    .unwrap_or_default();
                before.is_labelled
                    && !between.is_empty()
                    && between.len() <= 2
                    && between
                        .iter()
                        .all(|token| matches!(token.fold.as_str(), "," | "and" | "&" | "or"))
            };
            let it = &mut mentions[index];
            if is_one {
                it.what = What::Reference(value);
            }
            it.is_labelled = is_one || is_many || is_listed;
        }
    }

    fn fold(&self, at: usize) -> &str {
        self.next(at).map_or("", |token| token.fold.as_str())
    }

    /// Joins neighbours into ranges, and gives the first of two the unit of the second.
    fn join(&self, mentions: &mut Vec<Mention>) {
        let mut ranges = Vec::new();
        for index in 1..mentions.len() {
            let (left, right) = mentions.split_at_mut(index);
            let (one, two) = (&mut left[index - 1], &mut right[0]);
            let is_near = one.last <= two.first && two.first - one.last == 1;
            let sentence = |at: usize| self.tokens[at].sentence;
            if !is_near || sentence(one.first) != sentence(two.first) {
                continue;
            }
            let link = self.tokens[one.last].fold.as_str();
            let before = self.before(one.first, 1);
            let is_range = matches!(link, "-" | "–" | "—" | "to" | "through")
                || (link == "and" && before == "between");
            let is_list = matches!(link, "and" | "or" | "to" | "&") || is_range;
            match (&mut one.what, &two.what) {
                (What::Number(number), What::Date(days)) if is_list && number.is_bare() => {
                    let value = number.integer().and_then(|day| i8::try_from(day).ok());
                    let value = value.filter(|day| (1..=31).contains(day));
                    let has_day = days
                        .iter()
                        .all(|day| day.day.is_some() && day.month.is_some());
                    if let Some(value) = value.filter(|_| has_day) {
                        let days = days.iter().map(|day| Day {
                            day: Some(value),
                            weekday: None,
                            ..*day
                        });
                        one.what = What::Date(days.collect());
                    }
                }
                (What::Number(low), What::Number(high)) if is_range || link == "or" => {
                    if low.is_bare() {
                        low.is_percent = high.is_percent;
                        low.currency = high.currency;
                        low.unit = high.unit;
                    }
                    if low.readings < high.readings || link == "or" {
                        let is_change = before == "from" && link == "to";
                        one.is_end = !is_change;
                        one.is_aside |= is_change;
                        two.is_end = !is_change;
                        let mut range =
                            mention(What::Range(low.clone(), high.clone()), one.first, two.last);
                        range.is_hedged = link == "or";
                        ranges.push(range);
                    } else if before == "from" {
                        one.is_aside = true;
                    }
                }
                _ => {}
            }
        }
        mentions.extend(ranges);
        mentions.sort_by_key(|mention| (mention.first, mention.last));
    }
}

fn before_end(mention: &Mention) -> usize {
    mention.last
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
