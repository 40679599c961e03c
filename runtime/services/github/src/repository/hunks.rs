//! Index of the lines of a patch, and extracts of its hunks for review comments.

use crate::call;
use crate::git::GitError;

/// Maximum size of a hunk that is shown and stored with a comment, in bytes. A hunk can be as long as a file, and can
/// have many comments.
pub(crate) const MAX_HUNK: usize = 16 << 10;

/// Hunks of a file, indexed by line.
pub(crate) struct Hunks {
    hunks: Vec<Hunk>,
    /// Byte offsets of the ends of the lines of the old and the new file in the patch, for all hunks.
    ends: [Vec<usize>; 2],
}

struct Hunk {
    /// Byte offsets of the header and of the first line after it.
    header: usize,
    body: usize,
    sides: [Side; 2],
}

/// Lines of a hunk in the old or the new file.
struct Side {
    first: u64,
    count: u64,
    /// Index of the first line in `Hunks::ends`.
    at: usize,
}

impl Side {
    /// Parses a range of a header, such as `13,7`. `at` is the number of lines in earlier hunks.
    fn parse(range: &str, at: usize) -> Self {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        Self {
            first: first.parse().unwrap_or(0),
            count: count.parse().unwrap_or(0),
            at,
        }
    }
}

impl Hunks {
    /// Indexes a patch without file header.
    pub(crate) fn of(patch: &str) -> Result<Self, GitError> {
        let lines = patch.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let _held = call::reserve((lines * 2 * size_of::<usize>()) as u64)?;
        let mut hunks = Vec::new();
        let mut ends = [Vec::new(), Vec::new()];
        let mut at = 0;
        for line in patch.split('\n') {
            let end = at + line.len();
            match line.as_bytes().first() {
                Some(b'@') => {
                    let mut marks = line.split(' ').skip(1);
                    let mut side = |side: usize| {
                        let range = marks.next().and_then(|range| range.get(1..));
                        Side::parse(range.unwrap_or_default(), ends[side].len())
                    };
                    hunks.push(Hunk {
                        header: at,
                        body: end + 1,
                        sides: [side(0), side(1)],
                    });
                }
                Some(b'-') => ends[0].push(end),
                Some(b'+') => ends[1].push(end),
                Some(b'\\') => {}
                _ => ends.iter_mut().for_each(|ends| ends.push(end)),
            }
            at = end + 1;
        }
        Ok(Self { hunks, ends })
    }

    /// Index of the hunk that contains a line of the old file (`left`) or the new file.
    pub(crate) fn find(&self, line: u64, left: bool) -> Option<usize> {
        let side = |hunk: &Hunk| {
            let side = &hunk.sides[usize::from(!left)];
            (side.first, side.first.saturating_add(side.count))
        };
        let found = self.hunks.partition_point(|hunk| side(hunk).1 <= line);
        let hunk = self.hunks.get(found)?;
        (side(hunk).0 <= line).then_some(found)
    }

    /// Hunk of a line, from its header to the line. Empty if no hunk contains the line. A long hunk is reduced to its
    /// header and the last lines.
    pub(crate) fn up_to(&self, patch: &str, line: u64, left: bool) -> String {
        let shown = self.find(line, left).and_then(|found| {
            let hunk = &self.hunks[found];
            let side = &hunk.sides[usize::from(!left)];
            let index = usize::try_from(line - side.first).ok()?;
            let end = *self.ends[usize::from(!left)].get(side.at + index)?;
            let header = patch.get(hunk.header..hunk.body - 1)?;
            Some(shown(header, patch.get(hunk.body..end)?))
        });
        shown.unwrap_or_default()
    }

    /// First hunk, truncated to [`MAX_HUNK`].
    pub(crate) fn first(&self, patch: &str) -> String {
        let end = self
            .hunks
            .get(1)
            .map_or(patch.len(), |next| next.header - 1);
        let hunk = &patch[..end];
        if hunk.len() <= MAX_HUNK {
            hunk.to_owned()
        } else {
            let start = &hunk[..hunk.floor_char_boundary(MAX_HUNK)];
            let whole = start.rfind('\n').unwrap_or(start.len());
            start[..whole].to_owned()
        }
    }

    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        let ends = self.ends.iter().map(|ends| size_of_val(ends.as_slice()));
        size_of::<Self>() + size_of_val(self.hunks.as_slice()) + ends.sum::<usize>()
    }
}

/// Joins a header with the lines below it. Only as many of the last lines as fit into [`MAX_HUNK`] are included.
fn shown(header: &str, lines: &str) -> String {
    let room = MAX_HUNK.saturating_sub(header.len() + 1);
    let lines = if lines.len() <= room {
        lines
    } else {
        // A line that would lose its beginning is left out.
        let from = lines.ceil_char_boundary(lines.len() - room - 1);
        match lines[from..].find('\n') {
            Some(end) => &lines[from + end + 1..],
            None => {
                let last = lines.rfind('\n').map_or(0, |end| end + 1);
                let last = &lines[last..];
                &last[..last.floor_char_boundary(room)]
            }
        }
    };
    let lines: Vec<&str> = std::iter::once(header).chain(lines.lines()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n@@ -10 +10,2 @@ head\n ten\n+eleven\n\\ No newline at end of file";

    #[test]
    fn a_hunk_is_shown_up_to_a_line() {
        let hunks = Hunks::of(PATCH).unwrap();
        for (line, left, expected) in [
            (1, false, "@@ -1,3 +1,3 @@\n one"),
            (2, true, "@@ -1,3 +1,3 @@\n one\n-two"),
            (2, false, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO"),
            (3, true, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three"),
            (4, false, ""),
            (10, true, "@@ -10 +10,2 @@ head\n ten"),
            (11, false, "@@ -10 +10,2 @@ head\n ten\n+eleven"),
            (11, true, ""),
            (0, false, ""),
            (u64::MAX, false, ""),
        ] {
            assert_eq!(hunks.up_to(PATCH, line, left), expected, "{line} {left}");
        }
        assert_eq!(hunks.first(PATCH), &PATCH[..PATCH.find("\n@@").unwrap()]);
        assert_eq!(
            (hunks.find(3, false), hunks.find(10, false)),
            (Some(0), Some(1))
        );
        let none = Hunks::of("").unwrap();
        assert_eq!(
            (none.up_to("", 1, false), none.first("")),
            (String::new(), String::new())
        );
    }

    #[test]
    fn of_a_long_hunk_the_last_lines_are_shown() {
        let lines: String = (1..=10_000).map(|it| format!("+línea {it}\n")).collect();
        let patch = format!("@@ -0,0 +1,10000 @@\n{}", lines.trim_end());
        let hunks = Hunks::of(&patch).unwrap();
        let shown = hunks.up_to(&patch, 9_000, false);
        assert!(
            shown.len() <= MAX_HUNK && shown.len() > MAX_HUNK - 20,
            "{}",
            shown.len()
        );
        let mut lines = shown.lines();
        assert_eq!(lines.next(), Some("@@ -0,0 +1,10000 @@"));
        assert!(lines.all(|line| line.starts_with("+línea ")));
        assert!(shown.ends_with("+línea 8999\n+línea 9000"));
        let first = hunks.first(&patch);
        assert!(first.len() <= MAX_HUNK && first.starts_with("@@ -0,0 +1,10000 @@\n+línea 1\n"));

        let patch = format!("@@ -0,0 +1,2 @@\n+short\n+{}", "é".repeat(MAX_HUNK));
        let shown = Hunks::of(&patch).unwrap().up_to(&patch, 2, false);
        assert!(shown.len() <= MAX_HUNK && shown.starts_with("@@ -0,0 +1,2 @@\n+éé"));
        let patch = format!("@@ -0,0 +1 @@\n+{}", "é".repeat(MAX_HUNK));
        assert!(Hunks::of(&patch).unwrap().first(&patch).len() <= MAX_HUNK);
    }
}
