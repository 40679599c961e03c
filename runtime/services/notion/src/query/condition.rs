//! Conditions of filters, one kind for each group of property types (documentation of filter objects).

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use serde_json::Value;

use crate::cell::Cell;
use crate::input::Field;
use crate::model::{Id, Moment, PropertyType, Time};
use crate::refusal::Outcome;

/// Condition on a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    /// There is no value, or there is one.
    IsEmpty(bool),
    /// Condition on a text.
    Text(TextTest, String),
    /// Condition on a number.
    Number(NumberTest, f64),
    /// The checkbox has this state.
    Checkbox(bool),
    /// The option has this name, or another one.
    Option {
        /// Name.
        name: String,
        /// Whether the option must have it.
        is_equal: bool,
    },
    /// One of the options has this name, or none.
    Options {
        /// Name.
        name: String,
        /// Whether one must have it.
        contains: bool,
    },
    /// One of the users or pages has this id, or none.
    Ids {
        /// Id.
        id: Id,
        /// Whether one must have it.
        contains: bool,
    },
    /// Condition on a date.
    Date(DateTest, Moment),
    /// The date is in this range of days.
    Days(Date, Date),
}

/// Comparison of texts. Upper and lower case are equal (chosen).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextTest {
    /// `equals`.
    Equals,
    /// `does_not_equal`.
    DoesNotEqual,
    /// `contains`.
    Contains,
    /// `does_not_contain`.
    DoesNotContain,
    /// `starts_with`.
    StartsWith,
    /// `ends_with`.
    EndsWith,
}

/// Comparison of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberTest {
    /// `equals`.
    Equals,
    /// `does_not_equal`.
    DoesNotEqual,
    /// `greater_than`.
    Greater,
    /// `less_than`.
    Less,
    /// `greater_than_or_equal_to`.
    GreaterOrEqual,
    /// `less_than_or_equal_to`.
    LessOrEqual,
}

/// Comparison of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateTest {
    /// `equals`.
    Equals,
    /// `before`.
    Before,
    /// `after`.
    After,
    /// `on_or_before`.
    OnOrBefore,
    /// `on_or_after`.
    OnOrAfter,
}

const TEXT_TESTS: [(&str, TextTest); 6] = [
    ("equals", TextTest::Equals),
    ("does_not_equal", TextTest::DoesNotEqual),
    ("contains", TextTest::Contains),
    ("does_not_contain", TextTest::DoesNotContain),
    ("starts_with", TextTest::StartsWith),
    ("ends_with", TextTest::EndsWith),
];

const NUMBER_TESTS: [(&str, NumberTest); 6] = [
    ("equals", NumberTest::Equals),
    ("does_not_equal", NumberTest::DoesNotEqual),
    ("greater_than", NumberTest::Greater),
    ("less_than", NumberTest::Less),
    ("greater_than_or_equal_to", NumberTest::GreaterOrEqual),
    ("less_than_or_equal_to", NumberTest::LessOrEqual),
];

const DATE_TESTS: [(&str, DateTest); 5] = [
    ("equals", DateTest::Equals),
    ("before", DateTest::Before),
    ("after", DateTest::After),
    ("on_or_before", DateTest::OnOrBefore),
    ("on_or_after", DateTest::OnOrAfter),
];

const EMPTINESS: [&str; 2] = ["is_empty", "is_not_empty"];
const CONTAINING: [&str; 2] = ["contains", "does_not_contain"];
const EQUALITY: [&str; 2] = ["equals", "does_not_equal"];
const PERIODS: [&str; 7] = [
    "past_week",
    "past_month",
    "past_year",
    "this_week",
    "next_week",
    "next_month",
    "next_year",
];

impl Condition {
    /// Parses the condition on a property of a type.
    pub(crate) fn parse(field: &Field<'_>, kind: PropertyType, now: Time) -> Outcome<Self> {
        let known = keys(kind);
        let object = field.object()?;
        field.only(&known)?;
        let Some(key) = known.iter().copied().find(|key| object.contains_key(*key)) else {
            let complaints: Vec<String> = known
                .iter()
                .map(|key| field.get(key).complaint("defined"))
                .collect();
            return Err(field.should_one(&complaints));
        };
        let value = field.get(key);
        if EMPTINESS.contains(&key) {
            return match value.value {
                Some(Value::Bool(true)) => Ok(Self::IsEmpty(key == "is_empty")),
                _ => Err(value.should("`true`")),
            };
        }
        match kind {
            PropertyType::Title
            | PropertyType::RichText
            | PropertyType::Url
            | PropertyType::Email
            | PropertyType::PhoneNumber => Ok(Self::Text(
                named(&TEXT_TESTS, key),
                value.string()?.to_lowercase(),
            )),
            PropertyType::Number | PropertyType::UniqueId => {
                Ok(Self::Number(named(&NUMBER_TESTS, key), value.number()?))
            }
            PropertyType::Checkbox => Ok(Self::Checkbox(value.bool()? == (key == "equals"))),
            PropertyType::Select | PropertyType::Status => Ok(Self::Option {
                name: value.string()?.to_owned(),
                is_equal: key == "equals",
            }),
            PropertyType::MultiSelect => Ok(Self::Options {
                name: value.string()?.to_owned(),
                contains: key == "contains",
            }),
            PropertyType::People
            | PropertyType::Relation
            | PropertyType::CreatedBy
            | PropertyType::LastEditedBy => Ok(Self::Ids {
                id: value.id()?,
                contains: key == "contains",
            }),
            _ => Self::date(&value, key, now),
        }
    }

    fn date(value: &Field<'_>, key: &str, now: Time) -> Outcome<Self> {
        if let Some((_, test)) = DATE_TESTS.iter().find(|(name, _)| *name == key) {
            let moment = Moment::parse(value.string()?, None);
            let moment = moment.ok_or_else(|| value.should("a valid ISO 8601 date string"))?;
            return Ok(Self::Date(*test, moment));
        }
        value.only(&[])?;
        let today = now.date();
        let moved = |span: jiff::Span| today.saturating_add(span);
        let sunday = today.saturating_sub(i64::from(today.weekday().since(Weekday::Sunday)).days());
        let (from, to) = match key {
            "past_week" => (moved((-1).week()), today),
            "past_month" => (moved((-1).month()), today),
            "past_year" => (moved((-1).year()), today),
            "next_week" => (today, moved(1.week())),
            "next_month" => (today, moved(1.month())),
            "next_year" => (today, moved(1.year())),
            // A week begins on Sunday (chosen).
            _ => (sunday, sunday.saturating_add(6.days())),
        };
        Ok(Self::Days(from, to))
    }

    /// Reports whether a value meets the condition.
    pub(crate) fn holds(&self, cell: &Cell) -> bool {
        match (self, cell) {
            (Self::IsEmpty(wanted), cell) => cell.is_empty() == *wanted,
            (Self::Text(test, wanted), Cell::Text(text)) => {
                test.holds(&text.to_lowercase(), wanted)
            }
            (Self::Text(test, wanted), _) => test.holds("", wanted),
            (Self::Number(test, wanted), Cell::Number(number)) => test.holds(*number, *wanted),
            (Self::Number(test, _), _) => *test == NumberTest::DoesNotEqual,
            (Self::Checkbox(wanted), cell) => (*cell == Cell::Checkbox(true)) == *wanted,
            (Self::Option { name, is_equal }, Cell::Option { name: own, .. }) => {
                (own == name) == *is_equal
            }
            (Self::Option { is_equal, .. }, _) => !is_equal,
            (Self::Options { name, contains }, Cell::Options(own)) => {
                own.contains(name) == *contains
            }
            (Self::Options { contains, .. }, _) => !contains,
            (Self::Ids { id, contains }, Cell::Ids(own)) => own.contains(id) == *contains,
            (Self::Ids { contains, .. }, _) => !contains,
            (Self::Date(test, wanted), Cell::Date(date)) => test.holds(&date.start, wanted),
            (Self::Date(test, wanted), Cell::Time(time)) => {
                Moment::parse(&time.minute(), None).is_some_and(|own| test.holds(&own, wanted))
            }
            (Self::Days(from, to), Cell::Date(date)) => within(day(&date.start), *from, *to),
            (Self::Days(from, to), Cell::Time(time)) => within(Some(time.date()), *from, *to),
            (Self::Date(..) | Self::Days(..), _) => false,
        }
    }
}

/// Returns the keys of the conditions on a property of a type.
fn keys(kind: PropertyType) -> Vec<&'static str> {
    let mut keys: Vec<&'static str> = match kind {
        PropertyType::Title
        | PropertyType::RichText
        | PropertyType::Url
        | PropertyType::Email
        | PropertyType::PhoneNumber => TEXT_TESTS.iter().map(|(key, _)| *key).collect(),
        PropertyType::Number | PropertyType::UniqueId => {
            NUMBER_TESTS.iter().map(|(key, _)| *key).collect()
        }
        PropertyType::Checkbox => return EQUALITY.to_vec(),
        PropertyType::Select | PropertyType::Status => EQUALITY.to_vec(),
        PropertyType::MultiSelect
        | PropertyType::People
        | PropertyType::Relation
        | PropertyType::CreatedBy
        | PropertyType::LastEditedBy => CONTAINING.to_vec(),
        PropertyType::Files
        | PropertyType::Formula
        | PropertyType::Rollup
        | PropertyType::Button
        | PropertyType::Verification => Vec::new(),
        PropertyType::Date | PropertyType::CreatedTime | PropertyType::LastEditedTime => DATE_TESTS
            .iter()
            .map(|(key, _)| *key)
            .chain(PERIODS)
            .collect(),
    };
    keys.extend(EMPTINESS);
    keys
}

/// Returns the entry with a name that is in the table.
fn named<T: Copy>(table: &[(&str, T)], key: &str) -> T {
    let found = table.iter().find(|(name, _)| *name == key);
    found.unwrap_or(&table[0]).1
}

fn day(moment: &Moment) -> Option<Date> {
    moment.text.get(..10)?.parse().ok()
}

fn within(day: Option<Date>, from: Date, to: Date) -> bool {
    day.is_some_and(|day| (from..=to).contains(&day))
}

impl TextTest {
    fn holds(self, text: &str, wanted: &str) -> bool {
        match self {
            Self::Equals => text == wanted,
            Self::DoesNotEqual => text != wanted,
            Self::Contains => text.contains(wanted),
            Self::DoesNotContain => !text.contains(wanted),
            Self::StartsWith => text.starts_with(wanted),
            Self::EndsWith => text.ends_with(wanted),
        }
    }
}

impl NumberTest {
    fn holds(self, number: f64, wanted: f64) -> bool {
        match self {
            Self::Equals => number == wanted,
            Self::DoesNotEqual => number != wanted,
            Self::Greater => number > wanted,
            Self::Less => number < wanted,
            Self::GreaterOrEqual => number >= wanted,
            Self::LessOrEqual => number <= wanted,
        }
    }
}

impl DateTest {
    /// Compares the start of a value. A condition with a date without a time compares days (chosen).
    fn holds(self, own: &Moment, wanted: &Moment) -> bool {
        let order = if wanted.is_date {
            day(own).cmp(&day(wanted))
        } else {
            own.time.cmp(&wanted.time)
        };
        match self {
            Self::Equals => order.is_eq(),
            Self::Before => order.is_lt(),
            Self::After => order.is_gt(),
            Self::OnOrBefore => order.is_le(),
            Self::OnOrAfter => order.is_ge(),
        }
    }
}
