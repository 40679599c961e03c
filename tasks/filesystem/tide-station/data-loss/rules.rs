//! How lost readings are reckoned from logs. The wrong solutions bend one rule each.

use std::collections::BTreeSet;

use mcpmark_guest::{
    Csv, dates,
    jiff::civil::{Date, DateTime, date},
    numbers,
    rust_decimal::Decimal,
    serde_json::{self, Value, json},
};

#[path = "logs.rs"]
mod logs;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Times before a step of the clock stay as they are written.
    pub overlooks_clock_steps: bool,
    /// Local time is UTC plus the offset all year.
    pub overlooks_summer_time: bool,
}

/// Seconds since 1970-01-01T00:00:00Z.
pub type Seconds = i64;

/// A stretch of time in which the readings of a sensor were lost.
pub struct Outage {
    pub station: String,
    pub sensor: &'static str,
    pub from: Seconds,
    pub to: Seconds,
    pub codes: BTreeSet<String>,
}

impl Outage {
    fn minutes(&self) -> String {
        minutes(self.to - self.from)
    }

    /// Its line in the table.
    pub fn row(&self) -> [String; 6] {
        let codes: Vec<&str> = self.codes.iter().map(String::as_str).collect();
        [
            self.station.clone(),
            self.sensor.to_owned(),
            written(self.from),
            written(self.to),
            self.minutes(),
            codes.join(" "),
        ]
    }
}

/// What was lost.
pub struct Losses {
    /// In the order of the table.
    pub outages: Vec<Outage>,
    stations: Vec<String>,
}

const SENSORS: [&str; 2] = ["float", "radar"];
const SHORTEST: Seconds = 360;

fn period() -> (Seconds, Seconds) {
    (
        seconds(date(2024, 2, 1).at(0, 0, 0, 0)),
        seconds(date(2024, 4, 1).at(0, 0, 0, 0)),
    )
}

/// Reckons; `paths` are all files of the world, `read` gives the text of one.
pub fn reckon(
    paths: &[String],
    mut read: impl FnMut(&str) -> String,
    oversights: &Oversights,
) -> Losses {
    let codes = logs::codes(&read("firmware/include/codes.h"));
    let old_names = logs::old_names(&read("docs/archive/codes-1.9.md"));
    let stations: Value =
        serde_json::from_str(&read("config/stations.json")).expect("the list of stations is JSON");
    let maintenance = read("logs/maintenance.csv");
    let (start, end) = period();
    let mut losses = Losses {
        outages: Vec::new(),
        stations: Vec::new(),
    };
    for station in stations.as_array().into_iter().flatten() {
        let id = station["id"].as_str().unwrap_or_default();
        let offset = logs::offset(&read(&format!("config/stations/{id}.ini")));
        let folder = format!("logs/{id}/");
        let files = paths.iter().filter(|path| {
            path.strip_prefix(&folder)
                .is_some_and(|name| !name.contains("copy") && !name.contains("old"))
        });
        let mut events = BTreeSet::new();
        for path in files {
            let text = read(path);
            events.extend(logs::events(&text, offset, &old_names, &codes, oversights));
        }
        let active = logs::active(&events, end);
        let works = works(&maintenance, station, offset, oversights);
        for sensor in SENSORS {
            let lossy: Vec<&(String, Seconds, Seconds)> = active
                .iter()
                .filter(|(name, ..)| codes.is_loss(name) && codes.concerns(name, sensor))
                .collect();
            let lost = union(lossy.iter().map(|(_, from, to)| (*from, *to)).collect());
            let pauses: Vec<(Seconds, Seconds)> = works
                .iter()
                .filter(|(what, ..)| what == "all" || what == sensor)
                .map(|(_, from, to)| (*from, *to))
                .collect();
            for (from, to) in without(&lost, &union(pauses)) {
                let (from, to) = (from.max(start), to.min(end));
                if to - from < SHORTEST {
                    continue;
                }
                let within = lossy.iter().filter(|(_, a, b)| *a < to && *b > from);
                losses.outages.push(Outage {
                    station: id.to_owned(),
                    sensor,
                    from,
                    to,
                    codes: within.map(|(name, ..)| name.clone()).collect(),
                });
            }
        }
        losses.stations.push(id.to_owned());
    }
    losses.stations.sort();
    losses
        .outages
        .sort_by(|a, b| (a.from, &a.station, a.sensor).cmp(&(b.from, &b.station, b.sensor)));
    losses
}

impl Losses {
    /// The table of outages.
    pub fn table(&self) -> String {
        let header = Csv::line(["station", "sensor", "from", "to", "minutes", "codes"]);
        let rows = self.outages.iter().map(|outage| Csv::line(outage.row()));
        std::iter::once(header).chain(rows).collect()
    }

    /// The summary.
    pub fn summary(&self) -> Value {
        let (start, end) = period();
        let mut sensors = Vec::new();
        for station in &self.stations {
            for sensor in SENSORS {
                let outages: Vec<&Outage> = self
                    .outages
                    .iter()
                    .filter(|outage| outage.station == *station && outage.sensor == sensor)
                    .collect();
                let lost: Seconds = outages.iter().map(|outage| outage.to - outage.from).sum();
                let share = Decimal::from(100 * (end - start - lost)) / Decimal::from(end - start);
                sensors.push(json!({
                    "station": station,
                    "sensor": sensor,
                    "outages": outages.len(),
                    "lost_minutes": minutes(lost),
                    "available_percent": numbers::fixed(share, 3),
                }));
            }
        }
        let mut longest = &self.outages[0];
        for outage in &self.outages {
            if outage.to - outage.from > longest.to - longest.from {
                longest = outage;
            }
        }
        json!({
            "from": written(start),
            "to": written(end),
            "sensors": sensors,
            "longest": {
                "station": longest.station,
                "sensor": longest.sensor,
                "from": written(longest.from),
                "minutes": longest.minutes(),
            },
        })
    }
}

/// Sensor, beginning and end of what was done at a station.
fn works(
    list: &str,
    station: &Value,
    offset: Seconds,
    oversights: &Oversights,
) -> Vec<(String, Seconds, Seconds)> {
    let names: Vec<&str> = station["also"]
        .as_array()
        .into_iter()
        .flatten()
        .chain([&station["name"], &station["id"]])
        .filter_map(Value::as_str)
        .collect();
    let table = Csv::strict().read(list).expect("the maintenance is CSV");
    let mut works = Vec::new();
    for row in table.rows() {
        if names.contains(&row.get("station")) && row.get("state") == "done" {
            let time = |column| {
                let (day, clock) = row.get(column).split_once(' ').expect("a day and a time");
                let day = dates::parse(day, &[dates::DAY_FIRST]).expect("a day in slashes");
                let utc = seconds(at(day, clock)) - offset;
                let is_summer = utc >= seconds(date(2024, 3, 31).at(1, 0, 0, 0));
                if is_summer && !oversights.overlooks_summer_time {
                    utc - 3600
                } else {
                    utc
                }
            };
            works.push((row.get("sensor").to_owned(), time("from"), time("to")));
        }
    }
    works
}

/// The stretches that are in at least one of these, those that touch joined.
fn union(mut stretches: Vec<(Seconds, Seconds)>) -> Vec<(Seconds, Seconds)> {
    stretches.sort_unstable();
    let mut joined: Vec<(Seconds, Seconds)> = Vec::new();
    for (from, to) in stretches {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// What is left of the first stretches where none of the second is.
fn without(
    stretches: &[(Seconds, Seconds)],
    pauses: &[(Seconds, Seconds)],
) -> Vec<(Seconds, Seconds)> {
    let mut left = Vec::new();
    for (from, to) in stretches {
        let mut from = *from;
        for (pause, resume) in pauses {
            if *resume > from && pause < to {
                left.push((from, *pause));
                from = *resume;
            }
        }
        left.push((from, *to));
    }
    left.retain(|(from, to)| from < to);
    left
}

/// A day and `HH:MM` or `HH:MM:SS`.
fn at(day: Date, clock: &str) -> DateTime {
    let parts: Vec<i8> = clock
        .split(':')
        .filter_map(|part| part.parse().ok())
        .collect();
    match parts.as_slice() {
        [hour, minute] => day.at(*hour, *minute, 0, 0),
        [hour, minute, second] => day.at(*hour, *minute, *second, 0),
        _ => panic!("no time: {clock:?}"),
    }
}

fn seconds(time: DateTime) -> Seconds {
    let days = time
        .date()
        .since(date(1970, 1, 1))
        .map(|span| span.get_days());
    let days = days.expect("a day of our time");
    Seconds::from(days) * 86_400
        + Seconds::from(time.hour()) * 3600
        + Seconds::from(time.minute()) * 60
        + Seconds::from(time.second())
}

fn written(at: Seconds) -> String {
    let (day, second) = (at.div_euclid(86_400), at.rem_euclid(86_400));
    let day = date(1970, 1, 1)
        .checked_add(mcpmark_guest::jiff::Span::new().days(day))
        .expect("a day of our time");
    format!(
        "{}T{:02}:{:02}:{:02}Z",
        dates::iso(day),
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

fn minutes(seconds: Seconds) -> String {
    numbers::fixed(Decimal::from(seconds) / Decimal::from(60), 1)
}
