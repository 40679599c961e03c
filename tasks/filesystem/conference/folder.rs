//! What several tasks of the committee read alike: tables, papers, times, the list of things to do.

#![allow(dead_code, reason = "each task uses a part of it")]

use mcpmark_guest::jiff::{ToSpan, civil::DateTime};
use mcpmark_guest::{Csv, Reader, Table};

pub const TO_DO: &str = "06 Minutes/to do.md";

/// A CSV file of the folder.
pub fn table(folder: &mut dyn Reader, path: &str) -> Table {
    match Csv::strict().read(folder.text(path)) {
        Ok(table) => table,
        Err(reason) => panic!("{path}: {reason}"),
    }
}

/// `M07` for `m7`, `M-07` and `# M 7`; nothing where letter and number are not both there.
pub fn paper(text: &str) -> Option<String> {
    let letter = text.chars().find(char::is_ascii_alphabetic)?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let number: u32 = digits.parse().ok()?;
    Some(format!("{}{number:02}", letter.to_ascii_uppercase()))
}

/// Minutes east of Greenwich for `+05:45`, `-0330` and `Z`.
pub fn offset(text: &str) -> i64 {
    if text == "Z" {
        return 0;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().expect("an offset has four digits");
    let minutes = number / 100 * 60 + number % 100;
    if text.starts_with('-') {
        -minutes
    } else {
        minutes
    }
}

/// A date and a time in the form of strptime.
pub fn moment(format: &str, text: &str) -> DateTime {
    match DateTime::strptime(format, text) {
        Ok(moment) => moment,
        Err(error) => panic!("{text:?} is no time like {format}: {error}"),
    }
}

pub fn later(moment: DateTime, minutes: i64) -> DateTime {
    moment + minutes.minutes()
}

/// The list of things to do with one of them ticked.
pub fn ticked(to_do: &str, item: &str) -> String {
    let open = format!("- [ ] {item}");
    assert!(to_do.contains(&open), "{item:?} is to be done");
    to_do.replace(&open, &format!("- [x] {item}"))
}
