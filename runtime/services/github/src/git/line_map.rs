//! Mapping of line numbers from one version of a file to another.

use super::line_diff::LineDiff;
use super::patch::is_binary;
use crate::call::Interrupted;

/// Mapping of line numbers from an old text to a new one.
pub(crate) struct LineMap {
    /// Changed line ranges in order, empty if the texts are equal or binary.
    hunks: Vec<gix::diff::blob::Hunk>,
    /// Number of lines of the old text, 0 if a text is binary, `None` if the texts are equal.
    lines: Option<u32>,
}

impl LineMap {
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
        let compared = LineDiff::of(before, after)?;
        Ok(Self {
            lines: u32::try_from(compared.old.len()).ok(),
            hunks: compared.hunks,
        })
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + size_of_val(self.hunks.as_slice())
    }

    /// Maps a line number of the old text, counted from 1, to the new text. Returns `None` if the line was changed or
    /// removed.
    pub(crate) fn line(&self, line: u64) -> Option<u64> {
        let Some(lines) = self.lines else {
            return Some(line);
        };
        let at = u32::try_from(line).ok()?.checked_sub(1)?;
        if at >= lines {
            return None;
        }
        let next = self.hunks.partition_point(|hunk| hunk.before.start <= at);
        // Ends of the last change before the line in both texts, from which unchanged lines continue.
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
    use super::LineMap;

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
                LineMap::of(before, after.as_bytes()).unwrap().line(line),
                expected,
                "{after:?} {line}"
            );
        }
    }
}
