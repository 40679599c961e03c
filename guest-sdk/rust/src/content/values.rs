//! Comparison of texts that are one amount or one date.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Expected;
use crate::dates::Dates;
use crate::numbers::Amounts;
use crate::{Condition, dates};

/// Expected amount; see the table in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct Amount {
    expected: Decimal,
    forms: Amounts,
}

/// Expected date; see the table in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct OneDate {
    expected: Date,
    forms: Dates,
}

/// Expects a text that is one amount, with or without zeros at its end.
pub fn amount(expected: impl Into<Decimal>) -> Amount {
    Amount {
        expected: expected.into(),
        forms: Amounts::new(),
    }
}

/// Expects a text that is one date, in a form that has one reading.
pub fn date(expected: Date) -> OneDate {
    OneDate {
        expected,
        forms: Dates::new(),
    }
}

impl Amount {
    /// Sets the accepted forms.
    #[must_use]
    pub fn written(mut self, forms: Amounts) -> Self {
        self.forms = forms;
        self
    }
}

impl OneDate {
    /// Sets the accepted forms.
    #[must_use]
    pub fn written(mut self, forms: Dates) -> Self {
        self.forms = forms;
        self
    }
}

impl Expected for Amount {
    fn size(&self) -> usize {
        0
    }

    fn compare(&self, found: &str) -> Condition {
        match self.forms.read(super::body(found)) {
            Ok(found) => compare(found == self.expected, self.expected, found),
            Err(reason) => Condition::fail(reason),
        }
    }
}

impl Expected for OneDate {
    fn size(&self) -> usize {
        0
    }

    fn compare(&self, found: &str) -> Condition {
        match self.forms.read(super::body(found)) {
            Ok(found) => compare(
                found == self.expected,
                dates::iso(self.expected),
                dates::iso(found),
            ),
            Err(reason) => Condition::fail(reason),
        }
    }
}

fn compare<T: std::fmt::Display>(are_equal: bool, expected: T, found: T) -> Condition {
    if are_equal {
        Condition::pass(format!("{found}, as expected"))
    } else {
        Condition::fail(format!("expected {expected}, found {found}"))
    }
}
