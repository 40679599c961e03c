//! Seeded random choices, with results that never change between releases.

use crate::host;

/// Random source of a setup routine.
///
/// Its 64-bit numbers depend only on the seed, and each method documents how it uses them. The same
/// seed gives the same choices in every release.
#[derive(Debug)]
pub struct Random(());

impl Random {
    pub(crate) fn new() -> Self {
        Self(())
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        host::random()
    }

    /// Returns a number from 0 to `bound` - 1, with uniform distribution.
    ///
    /// Numbers at or above the largest multiple of `bound` are drawn again; the result is the
    /// remainder of the division by `bound`.
    ///
    /// # Panics
    /// Panics if `bound` is 0.
    #[track_caller]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a random number below 0 was asked for");
        let uneven = (u64::MAX % bound + 1) % bound;
        loop {
            let number = self.bits();
            if number <= u64::MAX - uneven {
                return number % bound;
            }
        }
    }

    /// Returns a number from `low` to `high`, both included: `low` plus one [`Random::below`].
    ///
    /// # Panics
    /// Panics if `high` is less than `low`.
    #[track_caller]
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(
            low <= high,
            "a random number between {low} and {high} was asked for"
        );
        let span = high.abs_diff(low);
        let offset = if span == u64::MAX {
            self.bits()
        } else {
            self.below(span + 1)
        };
        low.wrapping_add_unsigned(offset)
    }

    /// Returns true with probability `numerator` / `denominator`: one [`Random::below`] of the
    /// denominator.
    ///
    /// # Panics
    /// Panics if `denominator` is 0.
    #[track_caller]
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// Returns one of the items, with uniform distribution: one [`Random::below`].
    ///
    /// # Panics
    /// Panics if there are no items.
    #[track_caller]
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// Returns one of the items, with a probability in proportion to its weight: one
    /// [`Random::below`] of the sum of weights.
    ///
    /// # Panics
    /// Panics if all weights are 0.
    #[track_caller]
    pub fn weighted<'a, T>(&mut self, items: &'a [(T, u32)]) -> &'a T {
        let mut rest = self.below(items.iter().map(|(_, weight)| u64::from(*weight)).sum());
        for (item, weight) in items {
            match rest.checked_sub(u64::from(*weight)) {
                None => return item,
                Some(left) => rest = left,
            }
        }
        unreachable!("the number is below the sum of weights")
    }

    /// Shuffles the items: from the last to the second, each is swapped with one at or before it,
    /// chosen by [`Random::below`].
    #[track_caller]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }

    /// Returns `count` different items in random order: the first of a shuffled list of references.
    ///
    /// # Panics
    /// Panics if there are fewer than `count` items.
    #[track_caller]
    pub fn sample<'a, T>(&mut self, items: &'a [T], count: usize) -> Vec<&'a T> {
        assert!(
            count <= items.len(),
            "a sample of {count} out of {} items was asked for",
            items.len()
        );
        let mut all: Vec<&T> = items.iter().collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::set_up;

    /// The choices define the meaning of a seed: worlds of earlier releases are built from it
    /// again.
    #[test]
    fn choices_never_change() {
        set_up(
            |world| {
                let random = world.random();
                let mut order = [1, 2, 3, 4, 5, 6, 7, 8];
                random.shuffle(&mut order);
                let drawn = (
                    random.bits(),
                    random.below(1000),
                    random.between(-5, 5),
                    *random.pick(&["a", "b", "c"]),
                    *random.weighted(&[('x', 1), ('y', 9)]),
                    random.chance(1, 2),
                    order,
                );
                assert_eq!(
                    format!("{drawn:?}"),
                    "(10171558354225185081, 60, 2, \"b\", 'y', false, [6, 7, 2, 3, 4, 8, 5, 1])"
                );
            },
            7,
        );
    }

    #[test]
    fn bounds_are_kept() {
        set_up(
            |world| {
                let random = world.random();
                let mut seen = [0; 6];
                for _ in 0..600 {
                    seen[random.below(6) as usize] += 1;
                    assert!((-2..=2).contains(&random.between(-2, 2)));
                    assert_eq!(random.between(4, 4), 4);
                }
                assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
                random.between(i64::MIN, i64::MAX);
                assert_eq!(*random.weighted(&[('x', 0), ('y', 1), ('z', 0)]), 'y');
                let mut sample = random.sample(&[1, 2, 3], 3);
                sample.sort();
                assert_eq!(sample, [&1, &2, &3]);
            },
            1,
        );
    }
}
