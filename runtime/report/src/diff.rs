//! Changes of an attempt to its world: changed files and their line diffs.

use std::time::{Duration, Instant};

use mcpmark_snapshot::{Blobs, Change, ChangeKind, Node, Store, Tree};
use similar::{ChangeTag, TextDiff};

/// Maximum size of a file whose lines are compared, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Deadline of a line comparison, after which the rest of the result is approximate.
const PATIENCE: Duration = Duration::from_secs(2);

/// Changed entry of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Path of the entry. Untrusted text.
    pub path: String,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Changed lines with context, or the reason why there is no line diff.
    pub lines: Result<Vec<Line>, String>,
}

/// Line of a unified diff, without its line break. Untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Kind of the line.
    pub mark: Mark,
    /// Content of the line.
    pub text: String,
}

/// Kind of a line in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Hunk header with the positions of the following lines in both texts.
    Place,
    /// The line is in both texts.
    Same,
    /// The line is only in the later text.
    Added,
    /// The line is only in the earlier text.
    Removed,
}

/// Returns the changes between two trees whose blobs are in the store.
pub fn changes(start: &Tree, end: &Tree, store: &Store) -> Vec<Changed> {
    mcpmark_snapshot::diff(start, end)
        .iter()
        .map(|change| Changed {
            path: change.path.as_str().to_owned(),
            kind: change.kind,
            lines: file_lines(change, store),
        })
        .collect()
}

fn file_lines(change: &Change, store: &Store) -> Result<Vec<Line>, String> {
    let read = |node: &Option<Node>| match node {
        None => Ok(Vec::new()),
        Some(Node::Directory(_)) => Err("directory".to_owned()),
        Some(Node::Symlink(link)) => Err(format!("symlink to {}", link.target)),
        Some(Node::File(file)) if file.size > MAX_BYTES => {
            Err("too large to be compared by its lines".to_owned())
        }
        Some(Node::File(file)) => store
            .read(&file.content)
            .map_err(|error| format!("cannot read it from the store: {error}")),
    };
    lines(&read(&change.before)?, &read(&change.after)?)
}

/// Returns the line diff of two texts, with two lines of context.
///
/// # Errors
///
/// Returns an error if one of them is not text.
pub fn lines(before: &[u8], after: &[u8]) -> Result<Vec<Line>, String> {
    let (before, after) = (text(before)?, text(after)?);
    let diff = TextDiff::configure()
        .deadline(Instant::now() + PATIENCE)
        .diff_lines(before, after);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        lines.push(Line {
            mark: Mark::Place,
            text: hunk.header().to_string(),
        });
        for change in hunk.iter_changes() {
            let value = change.value();
            lines.push(Line {
                mark: match change.tag() {
                    ChangeTag::Equal => Mark::Same,
                    ChangeTag::Insert => Mark::Added,
                    ChangeTag::Delete => Mark::Removed,
                },
                text: value.strip_suffix('\n').unwrap_or(value).to_owned(),
            });
        }
    }
    Ok(lines)
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err("binary".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_stand_with_those_around_them() {
        let found = lines(b"a\nb\nc\nd\n", b"a\nb\nx\nd").unwrap();
        let shown: Vec<String> = found
            .iter()
            .map(|line| format!("{:?} {}", line.mark, line.text))
            .collect();
        assert_eq!(
            shown,
            [
                "Place @@ -1,4 +1,4 @@",
                "Same a",
                "Same b",
                "Removed c",
                "Removed d",
                "Added x",
                "Added d"
            ]
        );
        assert_eq!(lines(b"a", b"\xff"), Err("binary".to_owned()));
        assert_eq!(lines(b"a\0", b"a"), Err("binary".to_owned()));
        assert_eq!(lines(b"", b""), Ok(Vec::new()));
    }
}
