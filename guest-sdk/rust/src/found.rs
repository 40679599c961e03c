//! A value that was looked for, with the place where it should be.

use std::fmt::Debug;

use crate::Condition;

/// A value read from the world, or the reason why it is not there.
///
/// A file that is missing, a line past the end and a cell of a column that does not
/// exist are all ordinary things to find in a final state. They make each condition
/// on the value fail with a detail that says so; nothing panics.
#[derive(Clone, Debug)]
pub struct Found<T> {
    place: String,
    value: Result<T, String>,
}

impl<T> Found<T> {
    /// A value, or the reason why there is none, at a place told in words.
    pub fn new(place: impl Into<String>, value: Result<T, String>) -> Self {
        Self {
            place: place.into(),
            value,
        }
    }

    /// Where the value was looked for: `line 3 of reports/overdue.csv`.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The value, or the reason why there is none.
    ///
    /// # Errors
    /// The reason, which names the place.
    pub fn get(&self) -> Result<&T, String> {
        self.value
            .as_ref()
            .map_err(|reason| format!("{}: {reason}", self.place))
    }

    /// The value where the task cannot be judged without it: in the starting tree.
    ///
    /// # Panics
    /// When there is none: the world is broken then, and the grade becomes a verifier fault.
    #[track_caller]
    pub fn required(self) -> T {
        match self.value {
            Ok(value) => value,
            Err(reason) => panic!("{}: {reason}", self.place),
        }
    }

    /// Holds when there is a value.
    pub fn exists(&self) -> Condition {
        self.satisfies(|_| Condition::pass("found"))
    }

    /// Applies `condition` to the value; fails where there is none.
    pub fn satisfies<C: Into<Condition>>(&self, condition: impl FnOnce(&T) -> C) -> Condition {
        match &self.value {
            Ok(value) => condition(value).into().at(&self.place),
            Err(reason) => Condition::fail(reason.clone()).at(&self.place),
        }
    }

    /// Derives another value at the same place.
    pub fn map<U>(&self, derive: impl FnOnce(&T) -> U) -> Found<U> {
        self.try_map(|value| Ok(derive(value)))
    }

    /// Derives another value at the same place, or says why that cannot be.
    pub fn try_map<U>(&self, derive: impl FnOnce(&T) -> Result<U, String>) -> Found<U> {
        Found {
            place: self.place.clone(),
            value: self.value.as_ref().map_err(Clone::clone).and_then(derive),
        }
    }

    /// Like [`Found::try_map`], for a value that is not needed afterwards.
    pub(crate) fn then<U>(self, derive: impl FnOnce(T) -> Result<U, String>) -> Found<U> {
        Found {
            place: self.place,
            value: self.value.and_then(derive),
        }
    }

    /// Looks for a part of the value; `place` names the part.
    ///
    /// Where the whole is missing, the part keeps the reason and the place of the whole.
    pub(crate) fn part<U>(
        &self,
        place: &str,
        find: impl FnOnce(&T) -> Result<U, String>,
    ) -> Found<U> {
        match &self.value {
            Ok(value) => Found {
                place: format!("{place} of {}", self.place),
                value: find(value),
            },
            Err(reason) => Found {
                place: self.place.clone(),
                value: Err(reason.clone()),
            },
        }
    }
}

impl<T: Debug> Found<T> {
    /// Holds when the value is there and equal.
    pub fn is<U: PartialEq<T> + Debug>(&self, expected: U) -> Condition {
        self.satisfies(|found| Condition::equal(&expected, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_fails_every_condition_with_its_place() {
        let missing: Found<u32> = Found::new("a.txt", Err("no such file".into()));
        for condition in [
            missing.exists(),
            missing.is(3u32),
            missing.map(|n| n + 1).is(4u32),
        ] {
            assert!(!condition.passed());
            assert_eq!(condition.detail(), "a.txt: no such file");
        }
        assert_eq!(missing.part::<u32>("line 2", |_| Ok(1)).place(), "a.txt");
    }

    #[test]
    fn a_part_names_its_whole() {
        let found = Found::new("a.txt", Ok(3u32));
        let part: Found<u32> = found.part("line 2", |_| Err("there is none".into()));
        assert_eq!(part.exists().detail(), "line 2 of a.txt: there is none");
    }

    #[test]
    #[should_panic(expected = "a.txt: no such file")]
    fn required_values_panic_with_their_place() {
        Found::<u32>::new("a.txt", Err("no such file".into())).required();
    }
}
