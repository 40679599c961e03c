//! Hunks of a unified diff, as in the field `patch` of GitHub.

use gix::bstr::ByteSlice;
use gix::diff::blob::Hunk;

use super::line_diff::LineDiff;
use crate::call::Interrupted;

/// Number of context lines around a change.
const CONTEXT: u32 = 3;
/// Number of leading bytes in which a null byte makes a file binary.
const LOOKED_AT: usize = 8000;
/// Maximum length of the function heading after `@@`, in bytes.
const HEADING: usize = 80;

/// Line diff of two texts.
#[derive(Debug, Default)]
pub(super) struct UnifiedDiff {
    pub(super) additions: usize,
    pub(super) deletions: usize,
    /// Hunks without a trailing line feed.
    pub(super) hunks: String,
    pub(super) binary: bool,
}

/// Returns true if the bytes are binary by the rule of git.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// Computes the line diff of two files.
pub(super) fn unified_diff(before: &[u8], after: &[u8]) -> Result<UnifiedDiff, Interrupted> {
    if before == after {
        return Ok(UnifiedDiff::default());
    }
    if is_binary(before) || is_binary(after) {
        return Ok(UnifiedDiff {
            binary: true,
            ..UnifiedDiff::default()
        });
    }
    let compared = LineDiff::of(before, after)?;
    let mut drawing = Drawing {
        old: &compared.old,
        new: &compared.new,
        text: Vec::new(),
        heading_at: 0,
        heading: None,
    };
    let mut group: Vec<Hunk> = Vec::new();
    for hunk in compared.hunks.iter().cloned() {
        if let Some(last) = group.last()
            && hunk.before.start - last.before.end > 2 * CONTEXT
        {
            drawing.hunk(&group);
            group.clear();
        }
        group.push(hunk);
    }
    drawing.hunk(&group);
    let mut text = drawing.text;
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    Ok(UnifiedDiff {
        additions: compared.additions(),
        deletions: compared.deletions(),
        hunks: text.to_str_lossy().into_owned(),
        binary: false,
    })
}

struct Drawing<'a> {
    old: &'a [&'a [u8]],
    new: &'a [&'a [u8]],
    text: Vec<u8>,
    /// Number of old lines that have been searched for a heading.
    heading_at: usize,
    /// Last heading that was found.
    heading: Option<&'a [u8]>,
}

impl<'a> Drawing<'a> {
    /// Writes one hunk of changes that are close enough to share their context.
    fn hunk(&mut self, changes: &[Hunk]) {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return;
        };
        let lead = CONTEXT.min(first.before.start);
        let tail = CONTEXT.min(self.old.len() as u32 - last.before.end);
        let (old_start, new_start) = (first.before.start - lead, first.after.start - lead);
        let old_length = last.before.end + tail - old_start;
        let new_length = last.after.end + tail - new_start;
        let header = format!(
            "@@ -{} +{} @@",
            range(old_start, old_length),
            range(new_start, new_length)
        );
        self.text.extend_from_slice(header.as_bytes());
        if let Some(heading) = self.find_heading(old_start as usize) {
            self.text.push(b' ');
            self.text.extend_from_slice(heading);
        }
        self.text.push(b'\n');
        let mut at = old_start;
        for change in changes {
            self.lines(b' ', self.old, at, change.before.start);
            self.lines(b'-', self.old, change.before.start, change.before.end);
            self.lines(b'+', self.new, change.after.start, change.after.end);
            at = change.before.end;
        }
        self.lines(b' ', self.old, at, at + tail);
    }

    fn lines(&mut self, sign: u8, lines: &[&[u8]], from: u32, to: u32) {
        for line in &lines[from as usize..to as usize] {
            self.text.push(sign);
            self.text.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                self.text
                    .extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }

    /// Finds the heading of a hunk: the last line before it that begins with a letter, an underscore or a dollar sign.
    fn find_heading(&mut self, before: usize) -> Option<&'a [u8]> {
        let old: &'a [&'a [u8]] = self.old;
        let found = old[self.heading_at..before].iter().rev().find(|line| {
            let first = line.first().copied().unwrap_or_default();
            first.is_ascii_alphabetic() || first == b'_' || first == b'$'
        });
        if let Some(line) = found {
            let line = &line[..line.len().min(HEADING)];
            self.heading = Some(line.trim_ascii_end());
        }
        self.heading_at = before;
        self.heading
    }
}

/// Formats a line range for a hunk header. Line numbers start at 1; an empty range has the number of the line before
/// it.
fn range(start: u32, length: u32) -> String {
    match length {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        _ => format!("{},{length}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_the_form_of_git() {
        let before = b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
        let after = b"a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl";
        let draw = |before: &[u8], after: &[u8]| unified_diff(before, after).unwrap();
        let drawn = draw(before, after);
        assert_eq!((drawn.additions, drawn.deletions), (2, 1));
        assert_eq!(
            drawn.hunks,
            "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -9,3 +9,4 @@ h\n i\n j\n k\n+l\n\\ No newline at end of file"
        );
        assert_eq!(draw(b"", b"x\n").hunks, "@@ -0,0 +1 @@\n+x");
        assert_eq!(draw(b"x\n", b"").hunks, "@@ -1 +0,0 @@\n-x");
        assert!(draw(b"x", b"\0").binary);
    }
}
