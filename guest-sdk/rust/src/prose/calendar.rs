//! Dates and times that are made of more than one token.

use super::forms::clock;
use super::lex::{Day, Kind, Number};
use super::read::Reader;
use super::words;

impl Reader<'_> {
    pub(super) fn time(&self, at: usize) -> Option<(Vec<u32>, usize)> {
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

    pub(super) fn date(&self, start: usize) -> Option<(Vec<Day>, usize)> {
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
    pub(super) fn trailing_number(&self, first: usize, last: usize) -> Option<Number> {
        let is_month = last - first == 2 && words::month(&self.tokens[first].fold).is_some();
        match &self.tokens[last - 1].kind {
            Kind::Number(number)
                if is_month && number.integer().is_some_and(|value| value <= 31) =>
            {
                let mut number = number.clone();
                number.is_soft = true;
                Some(number)
            }
            _ => None,
        }
    }
}
