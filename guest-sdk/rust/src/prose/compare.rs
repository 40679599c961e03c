//! Comparison of one value of a fact with what a text states in one place.

use rust_decimal::Decimal;

use super::fact::Form;
use super::judge::{Judge, Verdict};
use super::read::{Mention, What};

impl Verdict {
    /// Weakens a wrong value.
    fn or_weak(self, is_weak: bool) -> Self {
        if is_weak && self == Self::Wrong {
            Self::Weak
        } else {
            self
        }
    }
}

impl Judge<'_> {
    /// Compares one value with what the text states in one place.
    pub(super) fn judge(&self, form: &Form, mention: &Mention) -> Verdict {
        let lexed = &self.prose.lexed;
        let when = |holds: bool| {
            if holds {
                Verdict::Right
            } else {
                Verdict::Wrong
            }
        };
        let right = |holds: bool| {
            if holds {
                Verdict::Right
            } else {
                Verdict::Unrelated
            }
        };
        match (form, &mention.what) {
            (Form::Number(value), What::Number(number)) if !number.is_ordinal => {
                let is_equal = number.readings.contains(value);
                if !number.is_bare() {
                    return right(is_equal && number.unit.is_some());
                }
                when(is_equal).or_weak(number.is_soft || mention.is_labelled)
            }
            (Form::Quantity(value, unit), What::Number(number)) => match number.unit {
                Some(found) if has_same_dimension(unit, found) => when(
                    number
                        .readings
                        .iter()
                        .any(|it| convert(*it, found) == convert(*value, unit)),
                ),
                _ => Verdict::Unrelated,
            },
            (Form::Percent(value), What::Number(number)) if number.is_percent => {
                when(number.readings.contains(value))
            }
            (Form::Amount(value, currency), What::Number(number)) => match number.currency {
                Some(found) => when(found == currency && number.readings.contains(value)),
                None => Verdict::Unrelated,
            },
            (Form::Ordinal(value), What::Number(number)) if number.is_ordinal => {
                when(number.integer() == Some(*value)).or_weak(number.is_soft)
            }
            (Form::Range(low, high), What::Range(from, to)) => {
                when(from.readings.contains(low) && to.readings.contains(high))
            }
            (Form::Date(_) | Form::Weekday(_), What::Date(_)) if self.is_known_version(mention) => {
                Verdict::Unrelated
            }
            (Form::Date(date), What::Date(days)) => {
                let is_whole = days
                    .iter()
                    .all(|day| day.month.is_some() && day.day.is_some());
                if days.iter().any(|day| day.fits(*date)) {
                    right(is_whole)
                } else {
                    Verdict::Wrong.or_weak(!is_whole)
                }
            }
            (Form::Weekday(date), What::Date(days)) => right(
                days.iter()
                    .any(|day| day.weekday.is_some() && day.fits(*date)),
            ),
            (Form::Time(minutes), What::Time(readings)) => when(readings.contains(minutes)),
            (Form::Version(version), What::Version) => {
                when(is_version(version, mention.written(lexed)))
            }
            // "2.4" is a number as well, and "2.4.10" a day.
            (Form::Version(version), What::Number(_) | What::Date(_)) => {
                right(is_version(version, mention.written(lexed)))
            }
            (Form::Reference(number), What::Reference(found)) => when(number == found),
            (Form::Reference(number), What::Url) => {
                match numbered(&lexed.tokens[mention.first].fold) {
                    Some(found) => when(found == *number),
                    None => Verdict::Unrelated,
                }
            }
            (Form::Reference(value), What::Number(number)) if mention.is_labelled => {
                right(number.integer() == Some(*value))
            }
            (Form::Commit(id), What::Commit | What::Number(_) | What::Id) => {
                let found = &lexed.tokens[mention.first].fold;
                let is_prefix = found.len() >= 7 && id.starts_with(found.as_str());
                if matches!(mention.what, What::Commit) {
                    when(is_prefix)
                } else {
                    right(is_prefix)
                }
            }
            (Form::Commit(id), What::Url) => match commit_of(&lexed.tokens[mention.first].fold) {
                Some(found) => when(id.starts_with(found)),
                None => Verdict::Unrelated,
            },
            (Form::Id(id), What::Id | What::Version | What::Commit) => {
                let found = &lexed.tokens[mention.first].fold;
                if shape(found) == shape(id) {
                    when(found == id)
                } else {
                    Verdict::Unrelated
                }
            }
            _ => Verdict::Unrelated,
        }
    }

    /// Returns true if what looks like a date is the version of a fact.
    fn is_known_version(&self, mention: &Mention) -> bool {
        let written = mention.written(&self.prose.lexed);
        let facts = self.facts.iter();
        facts
            .flat_map(|fact| fact.forms.iter().chain(&fact.besides))
            .any(|form| matches!(form, Form::Version(version) if is_version(version, written)))
    }

    /// Returns true if a name with digits is of a shape that no fact speaks of.
    pub(super) fn is_unshaped(&self, mention: &Mention, forms: &[&Form]) -> bool {
        let fold = &self.prose.lexed.tokens[mention.first].fold;
        let has_shape = |form: &&Form| matches!(form, Form::Id(id) if shape(id) == shape(fold));
        matches!(mention.what, What::Id) && !forms.iter().any(has_shape)
    }

    pub(super) fn allows(&self, form: &Form, mention: &Mention) -> bool {
        if self.judge(form, mention) == Verdict::Right {
            return true;
        }
        match (form, &mention.what) {
            (_, What::Number(number)) if number.is_soft => true,
            (
                Form::Quantity(value, _) | Form::Percent(value) | Form::Amount(value, _),
                What::Number(number),
            ) => number.is_bare() && number.readings.contains(value),
            (Form::Range(low, high), What::Number(number)) => {
                number.readings.contains(low) || number.readings.contains(high)
            }
            (Form::Number(value), What::Number(number)) => {
                number.is_ordinal && number.readings.contains(value)
            }
            (Form::Ordinal(value), What::Number(number)) => number.integer() == Some(*value),
            (Form::Reference(value), What::Number(number)) => {
                mention.is_labelled && number.integer() == Some(*value)
            }
            (Form::Date(date) | Form::Weekday(date), What::Date(days)) => {
                days.iter().any(|day| day.fits(*date))
            }
            (Form::Date(date), What::Number(number)) => {
                number.readings.contains(&Decimal::from(date.year()))
            }
            _ => false,
        }
    }
}

fn is_version(expected: &str, written: &str) -> bool {
    written.trim_start_matches(['v', 'V']).trim_end_matches('+') == expected
}

/// Returns the number of the issue or pull request that a URL leads to.
pub(super) fn numbered(url: &str) -> Option<u64> {
    let (_, rest) = url
        .split_once("/issues/")
        .or_else(|| url.split_once("/pull/"))?;
    let digits = rest.split(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Returns the id of the commit that a URL leads to.
pub(super) fn commit_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("/commit/")?;
    let id = rest.split(|char: char| !char.is_ascii_hexdigit()).next()?;
    (id.len() >= 7).then_some(id)
}

/// Returns a name with each digit replaced by `0`.
fn shape(id: &str) -> String {
    id.chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect()
}

/// Returns the seconds of a unit of time.
fn seconds(unit: &str) -> Option<Decimal> {
    Some(match unit {
        "millisecond" => Decimal::new(1, 3),
        "second" => Decimal::ONE,
        "minute" => Decimal::from(60),
        "hour" => Decimal::from(3_600),
        "day" => Decimal::from(86_400),
        "week" => Decimal::from(604_800),
        _ => return None,
    })
}

fn has_same_dimension(one: &str, other: &str) -> bool {
    one == other || (seconds(one).is_some() && seconds(other).is_some())
}

fn convert(value: Decimal, unit: &str) -> Option<Decimal> {
    match seconds(unit) {
        Some(seconds) => value.checked_mul(seconds),
        None => Some(value),
    }
}
