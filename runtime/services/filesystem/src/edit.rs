//! The passages that `edit_file` replaces.

use serde::Deserialize;

use crate::failure::Failure;
use crate::profile::Profile;
use crate::text::normalise_line_ends;
use crate::{diff, path};

/// One replacement.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    old_text: String,
    new_text: String,
}

/// The text after all edits, one after the other. Both texts have plain line feeds.
pub(crate) fn apply(text: &str, edits: &[Edit], profile: Profile) -> Result<String, Failure> {
    let mut text = text.to_owned();
    for edit in edits {
        let old = normalise_line_ends(&edit.old_text);
        let new = normalise_line_ends(&edit.new_text);
        text = match text.find(&old) {
            Some(at) => {
                let (before, after) = (&text[..at], &text[at + old.len()..]);
                let new = match profile.expands_dollars() {
                    true => expand(&new, before, &old, after),
                    false => new,
                };
                format!("{before}{new}{after}")
            }
            None => replace_lines(&text, &old, &new).ok_or_else(|| {
                Failure::said(format!(
                    "Could not find exact match for edit:\n{}",
                    edit.old_text
                ))
            })?,
        };
    }
    Ok(text)
}

/// What the tool answers: the patch in a fence that is longer than any in the patch.
pub(crate) fn answer(shown: &str, old: &str, new: &str, profile: Profile) -> String {
    // What edits put together may be a line end of two characters.
    let patch = diff::patch(shown, old, &normalise_line_ends(new), profile);
    let mut fence = "```".to_owned();
    while patch.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}diff\n{patch}{fence}\n\n")
}

/// The new text as JavaScript's `replace` reads it, to which some character pairs have a
/// meaning: `$$` is a dollar sign, `$&` the old passage, `` $` `` and `$'` what is before and
/// after it.
fn expand(new: &str, before: &str, old: &str, after: &str) -> String {
    let mut result = String::new();
    let mut rest = new;
    while let Some(dollar) = rest.find('$') {
        result.push_str(&rest[..dollar]);
        let follower = rest[dollar + 1..].chars().next();
        let meaning = match follower {
            Some('$') => Some("$"),
            Some('&') => Some(old),
            Some('`') => Some(before),
            Some('\'') => Some(after),
            _ => None,
        };
        result.push_str(meaning.unwrap_or("$"));
        rest = &rest[dollar + if meaning.is_some() { 2 } else { 1 }..];
    }
    result + rest
}

/// Replaces the first lines that are those of `old` but for white space around them. The first
/// new line gets the indentation of the line that it replaces, and the others keep theirs
/// relative to the old lines.
fn replace_lines(text: &str, old: &str, new: &str) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let old: Vec<&str> = old.split('\n').collect();
    let trimmed: Vec<&str> = old.iter().map(|line| trim(line)).collect();
    let at = lines.windows(old.len()).position(|window| {
        let mut pairs = window.iter().zip(&trimmed);
        pairs.all(|(line, wanted)| trim(line) == *wanted)
    })?;
    let indent = indentation(lines[at]);
    let replacement = new.split('\n').enumerate().map(|(index, line)| {
        let bare = line.trim_start_matches(path::is_js_space);
        if index == 0 {
            return format!("{indent}{bare}");
        }
        let old_indent = old.get(index).map_or("", |line| indentation(line));
        let new_indent = indentation(line);
        if old_indent.is_empty() || new_indent.is_empty() {
            return line.to_owned();
        }
        let deeper = new_indent
            .chars()
            .count()
            .saturating_sub(old_indent.chars().count());
        format!("{indent}{}{bare}", " ".repeat(deeper))
    });
    let before = lines[..at].iter().map(|line| (*line).to_owned());
    let after = lines[at + old.len()..]
        .iter()
        .map(|line| (*line).to_owned());
    let result: Vec<String> = before.chain(replacement).chain(after).collect();
    Some(result.join("\n"))
}

fn trim(line: &str) -> &str {
    line.trim_matches(path::is_js_space)
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(path::is_js_space).len()]
}
