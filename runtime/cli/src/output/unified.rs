//! Unified diffs of two texts for terminals.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anstyle::Style;
use similar::{ChangeTag, TextDiff};

use super::{BAD, DIM, GOOD, count, paint, sanitise};

/// Maximum number of lines of a diff, and of characters of a line, that are shown without `--full`.
const LINES: usize = 24;
const CHARACTERS: usize = 160;
/// Maximum size of a file that is compared line by line, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Deadline of a comparison, after which it is completed approximately.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns a unified diff of two contents, or the reason why they cannot be compared. `None` is a file that does not
/// exist.
pub(crate) fn diff(before: Option<&[u8]>, after: Option<&[u8]>, full: bool) -> String {
    let texts = (text(before), text(after));
    let (before, after) = match texts {
        (Ok(before), Ok(after)) => (before, after),
        (Err(reason), _) | (_, Err(reason)) => return format!("{}\n", paint(DIM, reason)),
    };
    let diff = TextDiff::configure()
        .deadline(Instant::now() + PATIENCE)
        .diff_lines(before, after);
    let mut lines = Vec::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        lines.push((DIM, hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let (mark, style) = match change.tag() {
                ChangeTag::Delete => ('-', BAD),
                ChangeTag::Insert => ('+', GOOD),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let value = change.value();
            let line = value.strip_suffix('\n').unwrap_or(value);
            lines.push((
                style,
                format!("{mark}{}", clip(&sanitise::line(line), full)),
            ));
            if change.missing_newline() {
                lines.push((DIM, "\\ no newline at end of file".to_owned()));
            }
        }
    }
    let shown = if full { lines.len() } else { LINES };
    let more = lines.len().saturating_sub(shown);
    let mut text = String::new();
    for (style, line) in lines.into_iter().take(shown) {
        let _ = writeln!(text, "{}", paint(style, line));
    }
    if more > 0 {
        let more = format!("… {} more; --full shows them", count(more, "line"));
        let _ = writeln!(text, "{}", paint(DIM, more));
    }
    text
}

/// Returns the content as text, or the reason why it cannot be compared.
fn text(content: Option<&[u8]>) -> Result<&str, &'static str> {
    let content = content.unwrap_or_default();
    if content.len() > MAX_BYTES {
        return Err("too large for a comparison of lines");
    }
    match std::str::from_utf8(content) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err("binary"),
    }
}

fn clip(line: &str, full: bool) -> String {
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) if !full => format!("{}…", &line[..end]),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(before: Option<&[u8]>, after: Option<&[u8]>, full: bool) -> String {
        anstream::adapter::strip_str(&diff(before, after, full)).to_string()
    }

    #[test]
    fn binary_files_are_reported() {
        assert_eq!(plain(Some(b"a\n"), Some(b"a\0\n"), true), "binary\n");
        assert_eq!(plain(None, Some(b"\xff"), true), "binary\n");
        let large = vec![b'x'; MAX_BYTES + 1];
        let said = plain(Some(&large), None, false);
        assert_eq!(said, "too large for a comparison of lines\n");
    }

    #[test]
    fn long_ones_are_cut_and_say_so() {
        let text = "line\n".repeat(30) + &"x".repeat(200);
        let cut = plain(None, Some(text.as_bytes()), false);
        assert_eq!(cut.lines().count(), LINES + 1);
        assert!(
            cut.ends_with("… 9 lines more; --full shows them\n"),
            "{cut}"
        );
        let full = plain(None, Some(text.as_bytes()), true);
        assert!(full.contains(&"x".repeat(200)));
        assert!(full.ends_with("\\ no newline at end of file\n"));
        let wide = plain(Some(b""), Some("é".repeat(161).as_bytes()), false);
        assert!(wide.contains(&format!("+{}…\n", "é".repeat(160))), "{wide}");
    }

    #[test]
    fn escapes_and_carriage_returns_are_shown() {
        let shown = plain(Some(b"a\r\nb\n"), Some(b"a\nb\x1b[2J\n"), false);
        assert_eq!(shown, "@@ -1,2 +1,2 @@\n-a\\r\n-b\n+a\n+b\\u{1b}[2J\n");
    }
}
