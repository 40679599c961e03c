//! Result of a lookup in a world, with the place of the value.

use std::fmt::Debug;

use crate::Condition;

/// A value read from the world, or the reason why it is missing.
///
/// A missing file, a line past the end and a cell of an unknown column are ordinary in a final
/// state. They do not cause a panic: each condition on the value fails with a detail that states
/// the reason.
#[derive(Clone, Debug)]
pub struct Found<T> {
    place: String,
    value: Result<T, String>,
}

impl<T> Found<T> {
    /// Creates a result from a value, or from the reason why it is missing. `place` describes its
    /// place in words.
    pub fn new(place: impl Into<String>, value: Result<T, String>) -> Self {
        Self {
            place: place.into(),
            value,
        }
    }

    /// Returns the place of the value, such as `line 3 of reports/overdue.csv`.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the value, or the reason why it is missing.
    ///
    /// # Errors
    /// Returns the place and the reason if the value is missing.
    pub fn get(&self) -> Result<&T, String> {
        self.value
            .as_ref()
            .map_err(|reason| format!("{}: {reason}", self.place))
    }

    /// Returns a value without which the task cannot be judged, such as a file of the starting
    /// tree.
    ///
    /// # Panics
    /// Panics if the value is missing: the world is broken, and the grade becomes a verifier fault.
    #[track_caller]
    pub fn required(self) -> T {
        match self.value {
            Ok(value) => value,
            Err(reason) => panic!("{}: {reason}", self.place),
        }
    }

    /// Checks that the value exists.
    pub fn exists(&self) -> Condition {
        self.satisfies(|_| Condition::pass("found"))
    }

    /// Applies `condition` to the value. Fails if the value is missing.
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

    /// Derives another value at the same place, or the reason why it is missing.
    pub fn try_map<U>(&self, derive: impl FnOnce(&T) -> Result<U, String>) -> Found<U> {
        Found {
            place: self.place.clone(),
            value: self.value.as_ref().map_err(Clone::clone).and_then(derive),
        }
    }

    /// Like [`Found::try_map`], but consumes the value.
    pub(crate) fn then<U>(self, derive: impl FnOnce(T) -> Result<U, String>) -> Found<U> {
        Found {
            place: self.place,
            value: self.value.and_then(derive),
        }
    }

    /// Looks up a part of the value; `place` names the part.
    ///
    /// If the whole is missing, the part keeps the reason and the place of the whole.
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
    /// Checks that the value exists and equals `expected`.
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
