//! Labels of attempts, and outcomes with their reasons, as lines.

use mcpmark_experiment::Outcome;
use mcpmark_sandbox::Check;

use crate::output::{self, BAD, GOOD, WARN, paint, sanitise};

/// Formats a task with its model, and with its repetition if that is not the first.
pub(crate) fn label(task: &str, model: Option<&str>, k: u32) -> String {
    let mut label = sanitise::line(task).into_owned();
    if k > 1 {
        label.push_str(&format!(" #{k}"));
    }
    if let Some(model) = model {
        label.push_str(&format!("  {}", sanitise::line(model)));
    }
    label
}

/// Formats an outcome as one coloured word.
pub(crate) fn mark(outcome: &Outcome) -> String {
    match outcome.passed() {
        Some(true) => paint(GOOD, "pass"),
        Some(false) => paint(BAD, "fail"),
        None => paint(WARN, outcome.as_str()),
    }
}

/// Returns the reasons why an attempt did not pass, in a few lines.
pub(crate) fn reasons(outcome: &Outcome) -> Vec<String> {
    const SHOWN: usize = 3;
    if let Some(fault) = outcome.fault() {
        return vec![clip(&format!("{}: {}", fault.kind, fault.message))];
    }
    let failed: Vec<_> = outcome
        .checks()
        .iter()
        .filter(|check| !check.passed)
        .collect();
    let mut lines: Vec<String> = failed
        .iter()
        .take(SHOWN)
        .map(|check| clip(&format!("{}: {}", check.name, detail(check))))
        .collect();
    if failed.len() > SHOWN {
        lines.push(format!("… and {} more checks failed", failed.len() - SHOWN));
    }
    lines
}

/// Returns the detail of a check without a leading place that its name contains.
pub(crate) fn detail(check: &Check) -> &str {
    let apart = |c: char| c.is_whitespace() || "\"'`(),:;".contains(c);
    let said = |place: &str| {
        !place.is_empty()
            && check.name.match_indices(place).any(|(at, _)| {
                let (before, after) = (&check.name[..at], &check.name[at + place.len()..]);
                before.chars().next_back().is_none_or(apart)
                    && after.chars().next().is_none_or(apart)
            })
    };
    // A path may contain a colon, so the longest place is used.
    check
        .detail
        .rmatch_indices(": ")
        .find(|(at, _)| said(&check.detail[..*at]))
        .map_or(check.detail.as_str(), |(at, colon)| {
            &check.detail[at + colon.len()..]
        })
}

/// Truncates a text to about the width of the terminal.
pub(super) fn clip(text: &str) -> String {
    const CHARACTERS: usize = 160;
    let characters = output::columns_of(std::io::stderr()).map_or(CHARACTERS, |all| all - 8);
    shorten(&sanitise::line(text), characters)
}

/// Shortens a line to a number of characters by cutting its middle, because the end usually has the cause.
fn shorten(line: &str, characters: usize) -> String {
    let all = line.chars().count();
    if all <= characters {
        return line.to_owned();
    }
    let kept = characters.saturating_sub(1);
    let head = kept / 3;
    let start: String = line.chars().take(head).collect();
    let end: String = line.chars().skip(all - (kept - head)).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, detail: &str) -> Check {
        Check {
            name: name.to_owned(),
            passed: false,
            detail: detail.to_owned(),
        }
    }

    #[test]
    fn a_place_is_told_once() {
        for (name, told, shown) in [
            (
                "in its place: a/b.txt",
                "a/b.txt: there is no such file",
                "there is no such file",
            ),
            (
                "kept: a: b.txt",
                "a: b.txt: found 2: and 3",
                "found 2: and 3",
            ),
            (
                "a.txt to the last byte",
                "a.txt: other bytes",
                "other bytes",
            ),
            // Details with a place that the name does not contain.
            (
                "in its place: a/b.txt",
                "b.txt: there is none",
                "b.txt: there is none",
            ),
            (
                "the total",
                "line 2 of a.txt: expected 1",
                "line 2 of a.txt: expected 1",
            ),
            ("a", "found nothing", "found nothing"),
        ] {
            assert_eq!(detail(&check(name, told)), shown, "{name}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_end() {
        assert_eq!(shorten("abcdefghij", 10), "abcdefghij");
        assert_eq!(shorten("abcdéfghijk", 10), "abc…fghijk");
        assert_eq!(shorten("ab", 1), "…");
    }
}
