//! Bit sets of positions in a name or a path.

use std::ops::{BitAnd, BitOr, Not};

/// Set of positions from 0 to [`LAST`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Places([u64; 4]);

/// Highest position of a set.
pub(super) const LAST: usize = 255;

impl Places {
    pub(super) fn one(place: usize) -> Self {
        let mut places = Self::default();
        places.insert(place);
        places
    }

    /// Returns all positions from `first` to `last`, both included, or none if `first` is greater.
    pub(super) fn range(first: usize, last: usize) -> Self {
        Self::up_to(last) & !first.checked_sub(1).map_or(Self::default(), Self::up_to)
    }

    fn up_to(last: usize) -> Self {
        let mut places = Self::default();
        for (index, word) in places.0.iter_mut().enumerate() {
            *word = match (last + 1).saturating_sub(64 * index) {
                0 => 0,
                count @ 1..64 => (1 << count) - 1,
                _ => u64::MAX,
            };
        }
        places
    }

    pub(super) fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn has(self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == [0; 4]
    }

    pub(super) fn lowest(self) -> Option<usize> {
        let index = self.0.iter().position(|word| *word != 0)?;
        Some(64 * index + self.0[index].trailing_zeros() as usize)
    }

    pub(super) fn highest(self) -> Option<usize> {
        let index = self.0.iter().rposition(|word| *word != 0)?;
        Some(64 * index + 63 - self.0[index].leading_zeros() as usize)
    }

    /// Decrements each position. Position 0 is dropped.
    pub(super) fn before(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1])
    }

    /// Returns all positions up to the highest one.
    pub(super) fn filled(self) -> Self {
        self.highest().map_or(self, Self::up_to)
    }
}

impl BitAnd for Places {
    type Output = Self;

    fn bitand(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }
}

impl BitOr for Places {
    type Output = Self;

    fn bitor(mut self, other: Self) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }
}

impl Not for Places {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(places: Places) -> Vec<usize> {
        (0..=LAST).filter(|place| places.has(*place)).collect()
    }

    #[test]
    fn sets() {
        for (first, last) in [
            (0, 0),
            (0, 63),
            (0, 64),
            (63, 64),
            (5, 200),
            (1, 255),
            (9, 3),
        ] {
            let range = Places::range(first, last);
            let expected: Vec<usize> = (first..=last).collect();
            assert_eq!(members(range), expected);
            assert_eq!(range.lowest(), expected.first().copied());
            assert_eq!(range.highest(), expected.last().copied());
            let before = expected.iter().filter_map(|place| place.checked_sub(1));
            assert_eq!(members(range.before()), before.collect::<Vec<_>>());
        }
        let two = Places::one(3) | Places::one(130);
        assert_eq!(members(two.filled()), (0..=130).collect::<Vec<_>>());
        assert!(Places::default().filled().is_empty());
    }
}
