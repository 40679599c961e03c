//! How the lines of two texts differ.

use gix::diff::blob::{Algorithm, Diff, Hunk, InternedInput, sources};

use crate::call::{self, Interrupted, Reservation};

/// The most lines of both texts that are compared one by one, apart from what both begin and end with. The search for
/// the fewest changes takes more than twice as long for twice as many. Of more lines all are replaced; GitHub shows
/// no differences of such files.
pub(super) const MOST_LINES: usize = 200_000;
/// About what a line takes in memory while it is compared.
pub(super) const LINE_BYTES: u64 = 96;

/// Two texts by their lines, and what was changed from the one to the other, in order.
pub(super) struct Compared<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
    pub(super) hunks: Vec<Hunk>,
    _held: Reservation,
}

impl<'a> Compared<'a> {
    /// Compares two texts as `git diff` does.
    pub(super) fn of(before: &'a [u8], after: &'a [u8]) -> Result<Self, Interrupted> {
        call::checkpoint()?;
        let held = call::reserve((count_lines(before) + count_lines(after)) * LINE_BYTES)?;
        let input = InternedInput::new(sources::byte_lines(before), sources::byte_lines(after));
        let lines = |tokens: &[_]| -> Vec<&'a [u8]> {
            tokens.iter().map(|token| input.interner[*token]).collect()
        };
        let hunks = match changed_block(&input.before, &input.after) {
            block if block.before.len() + block.after.len() > MOST_LINES => vec![block],
            _ => {
                let mut diff = Diff::compute(Algorithm::Myers, &input);
                diff.postprocess_lines(&input);
                diff.hunks().collect()
            }
        };
        Ok(Self {
            old: lines(&input.before),
            new: lines(&input.after),
            hunks,
            _held: held,
        })
    }

    /// The number of lines that were added.
    pub(super) fn additions(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.after.len()).sum()
    }

    /// The number of lines that were removed.
    pub(super) fn deletions(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.before.len()).sum()
    }
}

pub(super) fn count_lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// What lies between the lines that two texts begin with and those that they end with.
pub(super) fn changed_block<T: PartialEq>(old: &[T], new: &[T]) -> Hunk {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let range = |length: usize| start as u32..(length - end) as u32;
    Hunk {
        before: range(old.len()),
        after: range(new.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_replaced_as_one() {
        let text = |first: &str, count: usize| -> String {
            let lines = (0..count).map(|number| format!("{number}{first}\n"));
            ["start\n".to_owned()].into_iter().chain(lines).collect()
        };
        let count = MOST_LINES / 2 + 1;
        let (old, new) = (text("a", count), text("b", count));
        let compared = Compared::of(old.as_bytes(), new.as_bytes()).unwrap();
        let block = 1..count as u32 + 1;
        let hunk = Hunk {
            before: block.clone(),
            after: block,
        };
        assert_eq!(compared.hunks, [hunk]);
        assert_eq!((compared.additions(), compared.deletions()), (count, count));
    }

    #[test]
    fn the_changed_block_leaves_out_both_ends() {
        for (old, new, expected) in [
            ("abc", "abc", (3..3, 3..3)),
            ("abc", "axc", (1..2, 1..2)),
            ("aaa", "aa", (2..3, 2..2)),
            ("", "ab", (0..0, 0..2)),
        ] {
            let block = changed_block(old.as_bytes(), new.as_bytes());
            assert_eq!((block.before, block.after), expected, "{old} {new}");
        }
    }
}
