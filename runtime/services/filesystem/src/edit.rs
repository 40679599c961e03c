//! Search and replacement of passages for `edit_file`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use mcpmark_service::{Reservation, checkpoint, reserve};
use serde::Deserialize;

use crate::failure::Failure;
use crate::profile::Profile;
use crate::text::normalise_line_ends;
use crate::{diff, path};

/// Maximum number of bytes that the edits of one call may search. The first edit is always allowed.
const MAX_SEARCHED: u64 = 2 << 30;

/// Number of lines between two cancellation checks.
const LINES_A_CHECK: usize = 1 << 12;

/// Memory charged per line of the old text during a search, in bytes.
const BYTES_A_LINE: u64 = 96;

/// Replacement of one passage.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    old_text: String,
    new_text: String,
}

/// Edited text with its memory reservation.
pub(crate) struct Edited<'t> {
    pub(crate) text: Cow<'t, str>,
    _memory: Reservation,
}

/// Applies the edits one after the other. Both texts have LF line ends. `fits` fails if the file may not have that many
/// bytes; it is called before a text is built that is longer than the previous one.
pub(crate) fn apply<'t>(
    text: &'t str,
    edits: &[Edit],
    profile: Profile,
    shown: &str,
    fits: &dyn Fn(u64) -> Result<(), Failure>,
) -> Result<Edited<'t>, Failure> {
    let mut edited = Edited {
        text: Cow::Borrowed(text),
        _memory: Reservation::default(),
    };
    let mut searched = 0_u64;
    for edit in edits {
        checkpoint()?;
        if searched > MAX_SEARCHED {
            return Err(Failure::tool_error(format!(
                "the edits search more than {MAX_SEARCHED} bytes, the limit for one call (each edit searches the \
                 whole text); nothing was changed, make fewer edits at a time, edit '{shown}'"
            )));
        }
        searched += edited.text.len() as u64;
        let text = &*edited.text;
        let old = normalise_line_ends(&edit.old_text);
        let new = normalise_line_ends(&edit.new_text);
        edited = match text.find(&*old) {
            Some(at) => {
                let (before, after) = (&text[..at], &text[at + old.len()..]);
                build(text, fits, |push| {
                    push(before)?;
                    if profile.expands_dollars() {
                        expand(&new, before, &old, after, push)?
                    } else {
                        push(&new)?
                    }
                    push(after)
                })?
            }
            None => {
                let place = find_lines(text, &old)?.ok_or_else(|| {
                    Failure::tool_error(format!(
                        "Could not find exact match for edit:\n{}",
                        edit.old_text
                    ))
                })?;
                build(text, fits, |push| {
                    push(&text[..place.start])?;
                    replace_lines(&text[place.clone()], &old, &new, push)?;
                    push(&text[place.end..])
                })?
            }
        };
    }
    Ok(edited)
}

/// Sink for pieces of a text.
type Push<'a> = &'a mut dyn FnMut(&str) -> Result<(), Failure>;

/// Concatenates the output of `pieces`, which is called twice, because the lengths are summed before anything is built.
fn build(
    before: &str,
    fits: &dyn Fn(u64) -> Result<(), Failure>,
    pieces: impl Fn(Push<'_>) -> Result<(), Failure>,
) -> Result<Edited<'static>, Failure> {
    let mut length = 0_u64;
    pieces(&mut |piece| {
        length += piece.len() as u64;
        if length > before.len() as u64 {
            fits(length)
        } else {
            Ok(())
        }
    })?;
    let memory = reserve(length)?;
    let mut text = String::with_capacity(usize::try_from(length).unwrap_or_default());
    pieces(&mut |piece| {
        text.push_str(piece);
        Ok(())
    })?;
    Ok(Edited {
        text: Cow::Owned(text),
        _memory: memory,
    })
}

/// Returns the result of the tool: the patch in a code fence that is longer than any fence in the patch. Fails if it
/// exceeds `limit` bytes.
pub(crate) fn answer(
    shown: &str,
    old: &str,
    new: &str,
    profile: Profile,
    limit: u64,
) -> Result<String, Failure> {
    // Adjacent edits can form a CRLF line end.
    let patch = diff::patch(shown, old, &normalise_line_ends(new), profile, limit)?;
    let (mut longest, mut run) = (0, 0);
    for byte in patch.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let length = 3.max(longest + 1);
    if (patch.len() + 2 * length) as u64 > limit {
        return Err(Failure::too_long(limit));
    }
    let fence = "`".repeat(length);
    Ok(format!("{fence}diff\n{patch}{fence}\n\n"))
}

/// Expands the replacement patterns of JavaScript's `String.replace` in the new text: `$$` is a dollar sign, `$&` the
/// old passage, `` $` `` and `$'` the text before and after it.
fn expand(new: &str, before: &str, old: &str, after: &str, push: Push<'_>) -> Result<(), Failure> {
    let mut rest = new;
    while let Some(dollar) = rest.find('$') {
        push(&rest[..dollar])?;
        let follower = rest[dollar + 1..].chars().next();
        let meaning = match follower {
            Some('$') => Some("$"),
            Some('&') => Some(old),
            Some('`') => Some(before),
            Some('\'') => Some(after),
            _ => None,
        };
        push(meaning.unwrap_or("$"))?;
        rest = &rest[dollar + if meaning.is_some() { 2 } else { 1 }..];
    }
    push(rest)
}

/// Finds the first lines that equal those of `old` apart from surrounding white space. Uses the algorithm of Knuth,
/// Morris and Pratt, so that no line is compared again for each line of `old`.
fn find_lines(text: &str, old: &str) -> Result<Option<Range<usize>>, Failure> {
    let count = old.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let _memory = reserve(BYTES_A_LINE * count as u64)?;
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut wanted = Vec::with_capacity(count);
    for line in old.split('\n') {
        let next = numbers.len();
        wanted.push(*numbers.entry(trim(line)).or_insert(next));
    }
    // borders[n]: length of the longest proper prefix of the first n + 1 wanted lines that is also their suffix.
    let mut borders = vec![0_usize; count];
    let mut matched = 0;
    for at in 1..count {
        while matched > 0 && wanted[at] != wanted[matched] {
            matched = borders[matched - 1];
        }
        matched += usize::from(wanted[at] == wanted[matched]);
        borders[at] = matched;
    }
    let mut end = 0;
    matched = 0;
    for (index, line) in text.split('\n').enumerate() {
        if index % LINES_A_CHECK == 0 {
            checkpoint()?;
        }
        end += line.len() + usize::from(index > 0);
        let Some(number) = numbers.get(trim(line)) else {
            matched = 0;
            continue;
        };
        while matched > 0 && *number != wanted[matched] {
            matched = borders[matched - 1];
        }
        matched += usize::from(*number == wanted[matched]);
        if matched == count {
            let mut line_ends = text[..end].rmatch_indices('\n');
            let start = line_ends.nth(count - 1).map_or(0, |(at, _)| at + 1);
            return Ok(Some(start..end));
        }
    }
    Ok(None)
}

/// Writes the replacement of lines. The first new line gets the indentation of the line that it replaces, and the
/// others keep their indentation relative to the old lines.
fn replace_lines(replaced: &str, old: &str, new: &str, push: Push<'_>) -> Result<(), Failure> {
    let indent = indentation(replaced.split('\n').next().unwrap_or_default());
    let mut old = old.split('\n');
    for (index, line) in new.split('\n').enumerate() {
        let bare = line.trim_start_matches(path::is_js_space);
        let old_indent = old.next().map_or("", indentation);
        if index == 0 {
            push(indent)?;
            push(bare)?;
            continue;
        }
        push("\n")?;
        let new_indent = indentation(line);
        if old_indent.is_empty() || new_indent.is_empty() {
            push(line)?;
            continue;
        }
        push(indent)?;
        let deeper = new_indent
            .chars()
            .count()
            .saturating_sub(old_indent.chars().count());
        for _ in 0..deeper {
            push(" ")?;
        }
        push(bare)?;
    }
    Ok(())
}

fn trim(line: &str) -> &str {
    line.trim_matches(path::is_js_space)
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(path::is_js_space).len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the first matching lines, by comparing each window of the text.
    fn expected_lines(text: &str, old: &str) -> Option<Vec<String>> {
        let lines: Vec<&str> = text.split('\n').collect();
        let wanted: Vec<&str> = old.split('\n').map(trim).collect();
        let mut windows = lines.windows(wanted.len());
        let found = windows.find(|window| {
            let mut pairs = window.iter().zip(&wanted);
            pairs.all(|(line, wanted)| trim(line) == *wanted)
        })?;
        Some(found.iter().map(|line| (*line).to_owned()).collect())
    }

    proptest! {
        #[test]
        fn the_first_lines_that_fit_are_found(text in "([ab ]{0,2}\n){0,20}[ab ]{0,2}", old in "([ab ]{0,2}\n){0,5}[ab ]{0,2}") {
            let place = find_lines(&text, &old).unwrap();
            let found = place.clone().map(|place| text[place].split('\n').map(str::to_owned).collect::<Vec<_>>());
            prop_assert_eq!(found, expected_lines(&text, &old));
            // The match is the first one: the text before its last line has no match.
            if let Some(place) = place {
                let before = text[..place.end].rfind('\n').map_or("", |end| &text[..end]);
                prop_assert!(before.is_empty() || expected_lines(before, &old).is_none());
            }
        }
    }

    #[test]
    fn the_text_is_measured_before_it_is_built() {
        let edit = |old: &str, new: &str| Edit {
            old_text: old.to_owned(),
            new_text: new.to_owned(),
        };
        let fits = |length: u64| {
            if length <= 20 {
                Ok(())
            } else {
                Err(Failure::tool_error(format!("{length} bytes")))
            }
        };
        let apply = |edits: &[Edit], profile| {
            apply("0123456789", edits, profile, "x", &fits).map(|edited| edited.text.into_owned())
        };
        let doubled = [edit("9", "9$`")];
        assert_eq!(
            apply(&doubled, Profile::V2025_12_18).unwrap(),
            "0123456789012345678"
        );
        assert_eq!(
            apply(&doubled, Profile::V2026_8_31).unwrap(),
            "0123456789$`"
        );
        // A later edit could shorten the text again, but is not considered.
        let beyond = [edit("9", "9$`$`$`"), edit("0", "")];
        assert!(apply(&beyond, Profile::V2025_12_18).is_err());
    }
}
