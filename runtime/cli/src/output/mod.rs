//! Output of the program. Commands print through this module, except the lines of `grade --batch`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where printing happens"
)]

pub(crate) mod build;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod tree;
pub(crate) mod unified;
mod waiting;

pub(crate) use mcpmark_report::sanitise;

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde::de::DeserializeOwned;
use unicode_width::UnicodeWidthStr;

use crate::environment;
use crate::error::CommandError;

/// Minimum width of a terminal, in columns. Smaller widths are ignored.
const MIN_COLUMNS: usize = 20;

/// Style of headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// Style of secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Style of success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Style of failure.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Style of warnings and missing grades.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// Formats a text in a style. [`print`] removes the style if colours are disabled.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns a coloured tick or cross.
pub(crate) fn mark(passed: bool) -> String {
    if passed {
        paint(GOOD, "✓")
    } else {
        paint(BAD, "✗")
    }
}

/// Prints to standard output. A closed pipe is not an error.
///
/// # Errors
///
/// Returns an error if standard output cannot be written, for example because the disk is full.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints a value as a document of `mcpmark-metadata`, which has the same form.
///
/// # Errors
///
/// Returns an error if the value does not have the form of the document, or standard output cannot be written.
pub(crate) fn print_document<D: Serialize + DeserializeOwned>(
    value: &impl Serialize,
) -> Result<(), CommandError> {
    let document: D = serde_json::to_value(value)
        .and_then(serde_json::from_value)
        .map_err(|error| CommandError::infrastructure(format!("cannot write JSON: {error}")))?;
    print_json(&document)
}

/// Prints one JSON document to standard output.
///
/// # Errors
///
/// Returns an error if standard output cannot be written.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), CommandError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::infrastructure(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    let text = sanitise::json(&text);
    let mut out = io::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn finish(result: io::Result<()>) -> Result<(), CommandError> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CommandError::infrastructure(format!(
            "cannot write to standard output: {error}"
        ))),
        Ok(()) => Ok(()),
    }
}

/// Prints a line to standard error. Errors are ignored, because they cannot be reported.
pub(crate) fn note(line: &str) {
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(err, "{line}");
}

/// Prints a warning to standard error.
pub(crate) fn warn(message: &str) {
    note(&format!("{} {message}", paint(WARN, "warning:")));
}

/// Prints the last line of the process, while other threads may still draw bars.
pub(crate) fn last_note(line: &str) {
    const ERASE: &str = "\r\x1b[K";
    let erase = if interactive() { ERASE } else { "" };
    note(&format!("{erase}{line}"));
}

/// Returns true if standard error is a terminal and not the log of a CI job.
pub(crate) fn interactive() -> bool {
    io::stderr().is_terminal() && !environment::is_set("CI".as_ref())
}

/// Returns true if standard output and standard error are terminals.
pub(crate) fn on_one_terminal() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Returns the width for lines: `COLUMNS`, or the width of the terminal on standard output. Returns `None` if neither
/// is known.
pub(crate) fn columns() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok();
    told.and_then(|columns| columns.parse().ok())
        .filter(|columns| *columns >= MIN_COLUMNS)
        .or_else(|| columns_of(io::stdout()))
}

fn columns_of(stream: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns >= MIN_COLUMNS)
}

/// Wraps a text to a number of columns. A longer word gets its own line. The crate `textwrap` would give other lines,
/// because it adds the widths of characters, and a joined emoji is narrower than its parts.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Formats a count with its noun: `1 task`, `2 tasks`, `2 entries`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

/// Formats a size in binary units.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = UNITS[0];
    for next in &UNITS[1..] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

/// Returns the first twelve hexadecimal digits of a digest.
pub(crate) fn short(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..12).unwrap_or(hex)
}

/// Refuses an existing output file, unless `force` is set.
pub(crate) fn may_write(file: &Path, force: bool) -> Result<(), CommandError> {
    if file.is_file() && !force {
        Err(
            CommandError::usage(format!("{}: file already exists", file.display()))
                .hint("--force replaces it"),
        )
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{count, wrap};

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn counted_nouns_are_in_the_plural_unless_there_is_one() {
        for (noun, plural) in [("task", "tasks"), ("entry", "entries"), ("day", "days")] {
            assert_eq!(count(1, noun), format!("1 {noun}"));
            for number in [0, 2] {
                assert_eq!(count(number, noun), format!("{number} {plural}"));
            }
        }
    }
}
