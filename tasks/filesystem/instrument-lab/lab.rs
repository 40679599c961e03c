//! What the tasks on this drive share: reading it, its clocks, its spellings.
#![allow(dead_code, reason = "each task uses a part of it")]

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{Kind, Tools, Tree};

/// The drive as a verifier and as a solution see it.
pub trait Drive {
    /// A text as it stands, with its byte order mark and its line ends.
    fn raw(&mut self, path: &str) -> String;
    /// The names of the files directly in a folder, sorted by their bytes.
    fn names(&mut self, folder: &str) -> Vec<String>;
    /// The paths of all files below a folder, sorted by their bytes.
    fn below(&mut self, folder: &str) -> Vec<String>;

    /// A text without byte order mark and with LF.
    fn text(&mut self, path: &str) -> String {
        plain(&self.raw(path))
    }
}

impl Drive for Tree {
    fn raw(&mut self, path: &str) -> String {
        self.file(path).text().required()
    }

    fn names(&mut self, folder: &str) -> Vec<String> {
        let entries = self.list(folder).required();
        let files = entries.iter().filter(|entry| entry.kind == Kind::File);
        files
            .map(|entry| entry.path[folder.len() + 1..].to_owned())
            .collect()
    }

    fn below(&mut self, folder: &str) -> Vec<String> {
        self.files(folder).required()
    }
}

impl Drive for Tools {
    fn raw(&mut self, path: &str) -> String {
        self.read_text(path)
    }

    fn names(&mut self, folder: &str) -> Vec<String> {
        let files = self
            .list(folder)
            .into_iter()
            .filter(|(_, is_directory)| !is_directory);
        let mut names: Vec<String> = files.map(|(name, _)| name).collect();
        names.sort();
        names
    }

    fn below(&mut self, folder: &str) -> Vec<String> {
        let mut paths = self.files(folder);
        paths.sort();
        paths
    }
}

pub fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n")
}

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
