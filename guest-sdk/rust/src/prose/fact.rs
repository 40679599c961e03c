//! Facts: what a text must state, may state or must not state.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Person;
use super::blocks::{Block, BlockKind};
use super::forms::clock;
use super::lex::{Kind, lex};
use super::phrase::Phrase;
use super::words;

/// Something that a text can state, in any of its usual forms.
///
/// A fact has one or more alternative values, and optionally *topics*: the words by which a reader
/// knows what the value is about. With topics, a value counts only if it is the one that belongs to
/// a topic, and another value that belongs to it is a contradiction.
#[derive(Clone, Debug)]
pub struct Fact {
    pub(super) name: String,
    pub(super) forms: Vec<Form>,
    pub(super) topics: Vec<Topic>,
    /// Other values that may belong to the topics.
    pub(super) besides: Vec<Form>,
    pub(super) may_be_rough: bool,
    pub(super) is_unopposed: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Number(Decimal),
    Quantity(Decimal, &'static str),
    Percent(Decimal),
    Amount(Decimal, String),
    Ordinal(u64),
    Range(Decimal, Decimal),
    Date(Date),
    Weekday(Date),
    Time(u32),
    Version(String),
    Reference(u64),
    Commit(String),
    Path(String),
    Id(String),
    Person(Person),
    Words(Phrase, Polarity),
    Digits(String),
}

/// Whether a phrase must be negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Affirmed,
    Denied,
    Any,
}

#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) phrase: Phrase,
    pub(super) side: Side,
}

/// Where the value stands, seen from the topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Either,
    Before,
    After,
}

impl Fact {
    fn new(name: impl Into<String>, form: Form) -> Self {
        Self {
            name: name.into(),
            forms: vec![form],
            topics: Vec::new(),
            besides: Vec::new(),
            may_be_rough: false,
            is_unopposed: false,
        }
    }

    /// A number: `1234`, `1,234`, `1 234`, or in words, such as `twenty-one`. A unit may follow.
    pub fn number(value: impl Into<Decimal>) -> Self {
        let value = value.into();
        Self::new(value.to_string(), Form::Number(value))
    }

    /// A number with a unit of time, data, length, weight or volume: `30 minutes`, `30min`, `half` is
    /// not read. Units of time are converted, so that 90 minutes are 1.5 hours.
    ///
    /// # Panics
    /// Panics if the unit is not known.
    #[track_caller]
    pub fn quantity(value: impl Into<Decimal>, unit: &str) -> Self {
        let value = value.into();
        let Some(known) = words::unit(unit) else {
            panic!("the unit {unit:?} is not known: use `number` with a topic")
        };
        Self::new(format!("{value} {unit}"), Form::Quantity(value, known))
    }

    /// A percentage: `12 %`, `12%`, `12 percent`, `twelve per cent`.
    pub fn percent(value: impl Into<Decimal>) -> Self {
        let value = value.into();
        Self::new(format!("{value} %"), Form::Percent(value))
    }

    /// An amount of money in a currency by its ISO code: `€12.50`, `12,50 €`, `EUR 12.50`, `12.50
    /// euros`, `$1.2m`.
    pub fn amount(value: impl Into<Decimal>, currency: &str) -> Self {
        let value = value.into();
        Self::new(
            format!("{value} {currency}"),
            Form::Amount(value, currency.to_uppercase()),
        )
    }

    /// A position in an order: `3rd`, `third`.
    pub fn ordinal(value: u64) -> Self {
        Self::new(format!("number {value} in order"), Form::Ordinal(value))
    }

    /// A range: `10–15`, `10 to 15`, `between 10 and 15`.
    pub fn range(low: impl Into<Decimal>, high: impl Into<Decimal>) -> Self {
        let (low, high) = (low.into(), high.into());
        Self::new(format!("{low} to {high}"), Form::Range(low, high))
    }

    /// A date: `2025-03-01`, `1 March`, `March 1st, 2025`, `1/3/2025`, `Sat 1 Mar`. A weekday must be
    /// the right one if it is stated.
    pub fn date(date: Date) -> Self {
        Self::new(date.to_string(), Form::Date(date))
    }

    /// A time of day: `14:30`, `2:30 pm`, `2.30pm`, `14h30`, `1430 hours`, `half past two`, `noon`.
    ///
    /// # Panics
    /// Panics if there is no such time.
    #[track_caller]
    pub fn time(hour: u32, minute: u32) -> Self {
        let Some(readings) = clock(hour, minute, None, true) else {
            panic!("there is no time {hour}:{minute:02}")
        };
        Self::new(format!("{hour:02}:{minute:02}"), Form::Time(readings[0]))
    }

    /// A version: `2.4.0`, `v2.4.0`.
    pub fn version(version: &str) -> Self {
        let version = version.trim_start_matches('v');
        Self::new(
            format!("version {version}"),
            Form::Version(version.to_owned()),
        )
    }

    /// An issue or a pull request: `#12`, `GH-12`, `PR 12`, `pull requests 11 and 12`, or the URL.
    pub fn reference(number: u64) -> Self {
        Self::new(format!("#{number}"), Form::Reference(number))
    }

    /// A commit by its whole id, or by its first seven or more digits.
    pub fn commit(id: &str) -> Self {
        let short = id.get(..7).unwrap_or(id);
        Self::new(format!("commit {short}"), Form::Commit(id.to_lowercase()))
    }

    /// A file by its path, or by the end of its path from the start of a name.
    pub fn path(path: &str) -> Self {
        Self::new(path, Form::Path(path.to_owned()))
    }

    /// A name with digits, such as `INC-2041` or `A07`, in any case. Other names of the same shape
    /// count as other values of it.
    ///
    /// # Panics
    /// Panics if the text is not read as one name with digits, such as `40712`, `2041-B` or `PR-7`.
    #[track_caller]
    pub fn id(id: &str) -> Self {
        let block = Block {
            kind: BlockKind::Text,
            text: id.to_owned(),
        };
        let tokens = lex(&[block]).tokens;
        let is_name = matches!(
            tokens.as_slice(),
            [token] if matches!(token.kind, Kind::Id | Kind::Version | Kind::Commit)
        );
        assert!(
            is_name,
            "{id:?} is not read as one name with digits: use `term`, `number` or `reference`"
        );
        Self::new(id, Form::Id(words::fold(id)))
    }

    /// A person.
    pub fn person(person: &Person) -> Self {
        Self::new(person.name(), Form::Person(person.clone()))
    }

    /// One of these phrases, in any case, and not negated.
    ///
    /// A plural ending is allowed at each word. `roll*` stands for each word that begins so, and `..`
    /// between two words for up to four others.
    ///
    /// # Panics
    /// Panics if there is no phrase, or one without words.
    #[track_caller]
    pub fn words<S: AsRef<str>>(phrases: impl AsRef<[S]>) -> Self {
        Self::phrases(phrases.as_ref(), Polarity::Affirmed)
    }

    /// A name or a term: one of these phrases as in [`Fact::words`], negated or not. Use it for
    /// private data that a text must not contain.
    ///
    /// # Panics
    /// Panics if there is no phrase, or one without words.
    #[track_caller]
    pub fn term<S: AsRef<str>>(phrases: impl AsRef<[S]>) -> Self {
        Self::phrases(phrases.as_ref(), Polarity::Any)
    }

    #[track_caller]
    fn phrases<S: AsRef<str>>(phrases: &[S], polarity: Polarity) -> Self {
        let Some(first) = phrases.first() else {
            panic!("a fact in words needs a phrase")
        };
        let form = |phrase: &S| Form::Words(Phrase::new(phrase.as_ref()), polarity);
        let mut fact = Self::new(format!("{:?}", first.as_ref()), form(first));
        fact.forms.extend(phrases[1..].iter().map(form));
        fact
    }

    /// A sequence of digits with any separators, such as a telephone or an account number.
    ///
    /// # Panics
    /// Panics if there is no digit.
    #[track_caller]
    pub fn digits(digits: &str) -> Self {
        let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
        assert!(!plain.is_empty(), "there is no digit in {digits:?}");
        Self::new(digits, Form::Digits(plain))
    }

    /// Names the fact in messages and checks.
    #[must_use]
    pub fn called(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds the values of another fact as alternatives.
    #[must_use]
    pub fn or(mut self, other: Fact) -> Self {
        self.forms.extend(other.forms);
        self
    }

    /// Adds topics: the value must stand in the same sentence, or the sentence after it or below it.
    #[must_use]
    #[track_caller]
    pub fn about<S: AsRef<str>>(self, topics: impl AsRef<[S]>) -> Self {
        self.with_topics(topics.as_ref(), Side::Either)
    }

    /// Adds topics that stand in front of the value, such as "hands over to".
    #[must_use]
    #[track_caller]
    pub fn after<S: AsRef<str>>(self, topics: impl AsRef<[S]>) -> Self {
        self.with_topics(topics.as_ref(), Side::After)
    }

    /// Adds topics that stand behind the value, such as "takes over".
    #[must_use]
    #[track_caller]
    pub fn before<S: AsRef<str>>(self, topics: impl AsRef<[S]>) -> Self {
        self.with_topics(topics.as_ref(), Side::Before)
    }

    #[track_caller]
    fn with_topics<S: AsRef<str>>(mut self, topics: &[S], side: Side) -> Self {
        for topic in topics {
            let phrase = Phrase::new(topic.as_ref());
            self.topics.push(Topic { phrase, side });
        }
        self
    }

    /// Adds the values of another fact that may belong to the topics too, without being required.
    #[must_use]
    pub fn besides(mut self, other: Fact) -> Self {
        self.besides.extend(other.forms);
        self
    }

    /// Accepts the value after "about", "more than", "at least" and the like too.
    #[must_use]
    pub fn roughly(mut self) -> Self {
        self.may_be_rough = true;
        self
    }

    /// Accepts the weekday alone in the place of a date.
    #[must_use]
    pub fn or_weekday(mut self) -> Self {
        let dates = self.forms.iter().filter_map(|form| match form {
            Form::Date(date) => Some(Form::Weekday(*date)),
            _ => None,
        });
        let dates: Vec<Form> = dates.collect();
        self.forms.extend(dates);
        self
    }

    /// Requires that the phrases are negated: "was not rolled back", "no data was lost". Phrases that
    /// are added later with [`Fact::or`] are not concerned.
    #[must_use]
    pub fn denied(mut self) -> Self {
        for form in &mut self.forms {
            if let Form::Words(_, polarity) = form {
                *polarity = Polarity::Denied;
            }
        }
        self
    }

    /// Requires that no occurrence of the phrases says the opposite.
    #[must_use]
    pub fn unopposed(mut self) -> Self {
        self.is_unopposed = true;
        self
    }
}
