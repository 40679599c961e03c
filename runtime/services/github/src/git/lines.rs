//! Where a line of one text stands in another.

use super::compare::Compared;
use super::patch::is_binary;
use crate::call::Interrupted;

/// Where the lines of one text stand in another.
pub(crate) struct Followed {
    /// The changed lines of both, in order; none where the texts are equal.
    hunks: Vec<gix::diff::blob::Hunk>,
    lines: Option<u32>,
}

impl Followed {
    pub(crate) fn of(before: &[u8], after: &[u8]) -> Result<Self, Interrupted> {
        if before == after {
            return Ok(Self {
                hunks: Vec::new(),
                lines: None,
            });
        }
        if is_binary(before) || is_binary(after) {
            return Ok(Self {
                hunks: Vec::new(),
                lines: Some(0),
            });
        }
        let compared = Compared::of(before, after)?;
        Ok(Self {
            lines: u32::try_from(compared.old.len()).ok(),
            hunks: compared.hunks,
        })
    }

    /// About how many bytes it takes in memory.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(self.hunks.as_slice())
    }

    /// The number, counted from 1, that a line of the first text has in the other; none where it was changed or taken
    /// away.
    pub(crate) fn line(&self, line: u64) -> Option<u64> {
        let Some(lines) = self.lines else {
            return Some(line);
        };
        let at = u32::try_from(line).ok()?.checked_sub(1)?;
        if at >= lines {
            return None;
        }
        let next = self.hunks.partition_point(|hunk| hunk.before.start <= at);
        // Where the lines that both texts have go on, in the one and in the other.
        let (old, new) = match next.checked_sub(1).map(|last| &self.hunks[last]) {
            Some(last) if at < last.before.end => return None,
            Some(last) => (last.before.end, last.after.end),
            None => (0, 0),
        };
        Some(u64::from(at - old + new) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Followed;

    #[test]
    fn a_line_moves_with_those_around_it() {
        let before = b"a\nb\nc\nd\n";
        for (after, line, expected) in [
            ("a\nb\nc\nd\n", 2, Some(2)),
            ("x\na\nb\nc\nd\n", 2, Some(3)),
            ("b\nc\nd\n", 2, Some(1)),
            ("b\nc\nd\n", 1, None),
            ("a\nB\nc\nd\n", 2, None),
            ("a\nB\nB\nc\nd\n", 3, Some(4)),
            ("a\nb\nc\nd\ne\n", 4, Some(4)),
            ("a\nb\nc\nd\ne\n", 5, None),
            ("a\nb\nc\nd\ne\n", 0, None),
            ("", 1, None),
            ("a\0", 1, None),
        ] {
            assert_eq!(
                Followed::of(before, after.as_bytes()).unwrap().line(line),
                expected,
                "{after:?} {line}"
            );
        }
    }
}
