//! Line diff of two texts.

use gix::diff::blob::{Algorithm, Diff, Hunk, InternedInput, sources};

use crate::call::{self, Interrupted, Reservation};

/// Maximum number of lines of both texts for a line diff, without the common start and end. Twice as many lines take
/// more than twice as long. Above the maximum, the diff replaces all of them; GitHub shows no diff of such files.
pub(super) const MAX_LINES: usize = 200_000;
/// Approximate memory per line during a diff, in bytes.
pub(super) const LINE_BYTES: u64 = 96;

/// Lines of two texts with the changed ranges, in order.
pub(super) struct LineDiff<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
    pub(super) hunks: Vec<Hunk>,
    _held: Reservation,
}

impl<'a> LineDiff<'a> {
    /// Computes the line diff of two texts as `git diff` does.
    pub(super) fn of(before: &'a [u8], after: &'a [u8]) -> Result<Self, Interrupted> {
        call::checkpoint()?;
        let held = call::reserve((count_lines(before) + count_lines(after)) * LINE_BYTES)?;
        let input = InternedInput::new(sources::byte_lines(before), sources::byte_lines(after));
        let lines = |tokens: &[_]| -> Vec<&'a [u8]> {
            tokens.iter().map(|token| input.interner[*token]).collect()
        };
        let hunks = match changed_block(&input.before, &input.after) {
            block if block.before.len() + block.after.len() > MAX_LINES => vec![block],
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

    /// Returns the number of added lines.
    pub(super) fn additions(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.after.len()).sum()
    }

    /// Returns the number of removed lines.
    pub(super) fn deletions(&self) -> usize {
        self.hunks.iter().map(|hunk| hunk.before.len()).sum()
    }
}

pub(super) fn count_lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// Returns the range between the common start and the common end of two texts.
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
        let count = MAX_LINES / 2 + 1;
        let (old, new) = (text("a", count), text("b", count));
        let compared = LineDiff::of(old.as_bytes(), new.as_bytes()).unwrap();
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
