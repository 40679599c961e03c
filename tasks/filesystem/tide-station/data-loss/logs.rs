//! Reads codes, offsets and logs.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::dates;

use super::{Oversights, Seconds, at, seconds};

/// What a line of a log says. Of the same second they come in this order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    Boot,
    Clear(String),
    Raise(String),
}

/// The codes of the firmware.
pub struct Codes {
    names: BTreeMap<u32, String>,
    loss: BTreeSet<String>,
}

impl Codes {
    pub fn is_loss(&self, name: &str) -> bool {
        self.loss.contains(name)
    }

    pub fn concerns(&self, name: &str, sensor: &str) -> bool {
        let group = format!("EBB_{}_", sensor.to_uppercase());
        name.starts_with("EBB_STATION_") || name.starts_with(&group)
    }
}

/// Reads the enumeration of a C header.
pub fn codes(header: &str) -> Codes {
    let mut codes = Codes {
        names: BTreeMap::new(),
        loss: BTreeSet::new(),
    };
    let (_, body) = header
        .split_once("enum ebb_code {")
        .expect("the header has the codes");
    let mut next = 0;
    for line in body.lines().map(str::trim).take_while(|line| *line != "};") {
        let (code, comment) = line.split_once(',').unwrap_or_default();
        if !code.starts_with("EBB_") {
            continue;
        }
        let (name, value) = match code.split_once(" = 0x") {
            Some((name, value)) => (name, hexadecimal(value)),
            None => (code, next),
        };
        next = value + 1;
        if comment.contains("/* loss */") {
            codes.loss.insert(name.to_owned());
        }
        codes.names.insert(value, name.to_owned());
    }
    codes
}

/// The names for the codes of 1.9.
pub fn old_names(page: &str) -> BTreeMap<String, String> {
    page.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let is_code = cells.len() == 5 && cells[3].starts_with("EBB_");
            is_code.then(|| (cells[1].to_owned(), cells[3].to_owned()))
        })
        .collect()
}

/// How far the local time of a station is before UTC.
pub fn offset(ini: &str) -> Seconds {
    let value = ini
        .lines()
        .find_map(|line| line.strip_prefix("utc_offset = "))
        .expect("a station has its offset");
    let (hours, minutes) = value[1..].split_once(':').expect("an offset has a colon");
    let number = |text: &str| {
        text.trim()
            .parse::<Seconds>()
            .expect("an offset has digits")
    };
    let offset = number(hours) * 3600 + number(minutes) * 60;
    if value.starts_with('-') {
        -offset
    } else {
        offset
    }
}

/// The events of one file with their right times.
pub fn events(
    text: &str,
    offset: Seconds,
    old_names: &BTreeMap<String, String>,
    codes: &Codes,
    oversights: &Oversights,
) -> Vec<(Seconds, Event)> {
    let mut events: Vec<(Seconds, Event)> = Vec::new();
    for line in text.lines() {
        if line.contains(';') {
            events.extend(old_event(line, offset, old_names));
            continue;
        }
        let parts: Vec<&str> = line.split_whitespace().collect();
        let [time, word, first, ..] = parts.as_slice() else {
            continue;
        };
        let time = moment(time.trim_end_matches('Z'), 'T', dates::ISO);
        let name = || codes.names[&hexadecimal(first.trim_start_matches("0x"))].clone();
        match *word {
            "BOOT" => events.push((time, Event::Boot)),
            "RAISE" => events.push((time, Event::Raise(name()))),
            "CLEAR" => events.push((time, Event::Clear(name()))),
            "CLOCK" => {
                let step: Seconds = parts[3].parse().expect("a step has digits");
                if step.abs() > 60 && !oversights.overlooks_clock_steps {
                    let boot = events.iter().rposition(|(_, event)| *event == Event::Boot);
                    for (time, _) in &mut events[boot.expect("the station booted")..] {
                        *time += step;
                    }
                }
            }
            _ => {}
        }
    }
    events
}

fn old_event(
    line: &str,
    offset: Seconds,
    names: &BTreeMap<String, String>,
) -> Option<(Seconds, Event)> {
    let parts: Vec<&str> = line.split(';').collect();
    let time = moment(parts[0], ' ', dates::POINTS) - offset;
    let name = || names[parts[2]].clone();
    let event = match parts[1] {
        "START" => Event::Boot,
        "ALARM" => Event::Raise(name()),
        "OK" => Event::Clear(name()),
        _ => return None,
    };
    Some((time, event))
}

/// Code, beginning and end of all times in which a code was active.
pub fn active(
    events: &BTreeSet<(Seconds, Event)>,
    end: Seconds,
) -> Vec<(String, Seconds, Seconds)> {
    let mut since: BTreeMap<&str, Seconds> = BTreeMap::new();
    let mut stretches = Vec::new();
    for (time, event) in events {
        match event {
            Event::Raise(code) => {
                since.entry(code).or_insert(*time);
            }
            Event::Clear(code) => {
                if let Some(from) = since.remove(code.as_str()) {
                    stretches.push((code.clone(), from, *time));
                }
            }
            Event::Boot => {
                for (code, from) in std::mem::take(&mut since) {
                    stretches.push((code.to_owned(), from, *time));
                }
            }
        }
    }
    let last = end.max(events.last().map_or(end, |(time, _)| *time));
    stretches.extend(
        since
            .into_iter()
            .map(|(code, from)| (code.to_owned(), from, last)),
    );
    stretches
}

fn moment(text: &str, separator: char, format: &str) -> Seconds {
    let (day, clock) = text.split_once(separator).expect("a day and a time");
    let day = dates::parse(day, &[format]).unwrap_or_else(|reason| panic!("{reason}"));
    seconds(at(day, clock))
}

fn hexadecimal(digits: &str) -> u32 {
    u32::from_str_radix(digits.trim(), 16).expect("a code in hexadecimal digits")
}
