//! Where a line of one text stands in another.

use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics, sources};

use super::patch::is_binary;

/// The number, counted from 1, that a line of a text has in another; none where it was changed or taken away.
pub(crate) fn followed(before: &[u8], after: &[u8], line: u64) -> Option<u64> {
    if before == after {
        return Some(line);
    }
    if is_binary(before) || is_binary(after) {
        return None;
    }
    let input = InternedInput::new(sources::byte_lines(before), sources::byte_lines(after));
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let at = u32::try_from(line).ok()?.checked_sub(1)?;
    if at as usize >= input.before.len() {
        return None;
    }
    // Where the lines that both texts have go on, in the one and in the other.
    let (mut old, mut new) = (0, 0);
    for hunk in diff.hunks() {
        if at < hunk.before.start {
            break;
        }
        if at < hunk.before.end {
            return None;
        }
        (old, new) = (hunk.before.end, hunk.after.end);
    }
    Some(u64::from(at - old + new) + 1)
}

#[cfg(test)]
mod tests {
    use super::followed;

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
                followed(before, after.as_bytes(), line),
                expected,
                "{after:?} {line}"
            );
        }
    }
}
