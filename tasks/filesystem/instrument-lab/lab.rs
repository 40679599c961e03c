//! What the tasks on this drive share: reading it, its clocks, its spellings.
#![allow(dead_code, reason = "each task uses a part of it")]

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;

/// The sections of an INI file in their order, with their keys.
pub fn ini(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut sections: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with(';'))
    {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            sections.push((name.to_owned(), BTreeMap::new()));
        } else if let (Some((key, value)), Some((_, keys))) =
            (line.split_once('='), sections.last_mut())
        {
            keys.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    sections
}

const SUMMER_UTC: DateTime = DateTime::constant(2024, 3, 31, 1, 0, 0, 0);

/// UTC at a time of the wall clock, between January and October 2024.
pub fn utc(local: DateTime) -> DateTime {
    let winter = local.saturating_sub(1.hour());
    if winter < SUMMER_UTC {
        winter
    } else {
        local.saturating_sub(2.hours())
    }
}

/// Hours by which the wall clock is ahead of UTC.
pub fn ahead(utc: DateTime) -> i64 {
    if utc < SUMMER_UTC { 1 } else { 2 }
}

/// The wall clock at a time of UTC.
pub fn local(utc: DateTime) -> DateTime {
    utc.saturating_add(ahead(utc).hours())
}

/// Reads a time after a strptime format.
pub fn time(text: &str, format: &str) -> DateTime {
    match DateTime::strptime(format, text) {
        Ok(time) => time,
        Err(error) => panic!("{text:?} is no time like {format}: {error}"),
    }
}

/// Whole minutes from one time to another of the same clock.
pub fn minutes_between(from: DateTime, to: DateTime) -> i64 {
    to.duration_since(from).as_secs() / 60
}

/// A sample's label without what means nothing: `lq24 0131` becomes `LQ240131`.
pub fn bare(label: &str) -> String {
    label
        .chars()
        .filter(|c| *c != '-' && !c.is_whitespace())
        .collect::<String>()
        .to_uppercase()
}
