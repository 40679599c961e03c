//! Everything that `mcpmark` prints goes through here.
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
use unicode_width::UnicodeWidthStr;

use crate::environment;
use crate::error::CommandError;

/// A terminal that says it has fewer columns is not asked to be fitted.
const MIN_COLUMNS: usize = 20;

/// Headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Passed, found.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Failed, missing.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Not graded, or worth a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();

/// `text` in a style; [`print`] takes the style out again where colours are off.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A tick or a cross, in its colour.
pub(crate) fn mark(passed: bool) -> String {
    if passed {
        paint(GOOD, "✓")
    } else {
        paint(BAD, "✗")
    }
}

/// Prints to standard output. A reader that has gone away is no error.
///
/// # Errors
///
/// When standard output cannot be written, a full disk for one.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints one JSON document to standard output.
///
/// # Errors
///
/// When standard output cannot be written.
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

/// Prints a line to standard error. There is nowhere to say that this failed.
pub(crate) fn note(line: &str) {
    let mut err = anstream::AutoStream::auto(io::stderr().lock());
    let _ = writeln!(err, "{line}");
}

/// Prints a warning to standard error.
pub(crate) fn warn(message: &str) {
    note(&format!("{} {message}", paint(WARN, "warning:")));
}

/// Prints the last line of a process that other threads still draw bars for.
pub(crate) fn last_note(line: &str) {
    const ERASE: &str = "\r\x1b[K";
    let erase = if interactive() { ERASE } else { "" };
    note(&format!("{erase}{line}"));
}

/// Whether a person watches standard error.
pub(crate) fn interactive() -> bool {
    io::stderr().is_terminal() && !environment::is_set("CI".as_ref())
}

/// Whether what goes to standard error is seen beside what goes to standard output.
pub(crate) fn on_one_terminal() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// How many columns lines may have: what `COLUMNS` says, else what the terminal has that standard
/// output is; none where it is no terminal.
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

/// The words of a text in lines of at most so many columns, a longer word alone in its own.
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

/// `1 task`, `2 tasks`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// Bytes in the units of 1024 that people read.
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

/// The first twelve digits of a digest.
pub(crate) fn short(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.get(..12).unwrap_or(hex)
}

/// Refuses a file that is there already, unless its place may be taken.
pub(crate) fn may_write(file: &Path, force: bool) -> Result<(), CommandError> {
    if file.is_file() && !force {
        Err(
            CommandError::usage(format!("{}: is there already", file.display()))
                .hint("--force takes its place"),
        )
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrap("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
