//! Temperatures of three cold stores: one reading each 20 minutes, one file a week.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{NewFile, World};

use crate::certificates::tenths;
use crate::time::{at, days, local_of, minutes, seconds};

struct Logger {
    id: &'static str,
    /// The range of quiet readings, in tenths.
    quiet: (i64, i64),
    /// From (UTC), to (UTC, not included), readings in turn, in tenths.
    events: Vec<(DateTime, DateTime, Vec<i64>)>,
    /// Readings that failed (UTC).
    faults: Vec<DateTime>,
    extension: &'static str,
    clock: fn(DateTime) -> DateTime,
    head: &'static str,
    line: fn(DateTime, &str) -> String,
    fault: &'static str,
    decimal: char,
    mark: bool,
    crlf: bool,
}

pub fn write(world: &mut World) {
    for logger in loggers() {
        // Three weeks in the logger's own time; its first reading of Monday starts a file.
        let mut week = 0;
        let mut text = String::new();
        let mut time = at(3, 17, 22, 0);
        let mut last_week = None;
        while time < at(4, 8, 0, 0) {
            let own = (logger.clock)(time);
            if own >= at(3, 18, 0, 0) && own < at(4, 8, 0, 0) {
                let number = own.date().iso_week_date().week();
                if last_week != Some(number) {
                    if last_week.is_some() {
                        put(world, &logger, week, &text);
                    }
                    text = logger.head.to_owned();
                    last_week = Some(number);
                    week = number;
                }
                let value = reading(world, &logger, time);
                text.push_str(&(logger.line)(own, &value));
            }
            time = minutes(time, 20);
        }
        put(world, &logger, week, &text);
    }
    world.file("loggers/planned work.txt", PLANNED);
    let mut early = String::from("\u{feff}time;temperature\r\n");
    for hour in 0..24 {
        let value = world.random().between(31, 62);
        early.push_str(&format!(
            "29.03.2024 {hour:02}:00;{}\r\n",
            tenths(value).replace('.', ",")
        ));
    }
    world.file("loggers/tl-8/2024-W13 (probe on the door).csv", early);
}

fn put(world: &mut World, logger: &Logger, week: i8, text: &str) {
    let mut text = text.to_owned();
    if logger.crlf {
        text = text.replace('\n', "\r\n");
    }
    if logger.mark {
        text.insert(0, '\u{feff}');
    }
    let path = format!("loggers/{}/2024-W{week:02}.{}", logger.id, logger.extension);
    let monday = days(at(3, 25, 0, 0).date(), (i64::from(week) - 12) * 7);
    world.add(NewFile::new(path, text).modified(seconds(monday.at(6, 30, 0, 0))));
}

fn reading(world: &mut World, logger: &Logger, time: DateTime) -> String {
    let quiet = world.random().between(logger.quiet.0, logger.quiet.1);
    if logger.faults.contains(&time) {
        return logger.fault.to_owned();
    }
    let event = logger
        .events
        .iter()
        .find(|(from, to, _)| *from <= time && time < *to);
    let value = event.map_or(quiet, |(from, _, values)| {
        let index = (time - *from).get_minutes() / 20 + (time - *from).get_hours() as i64 * 3;
        values[(index as usize).min(values.len() - 1)]
    });
    tenths(value).replace('.', &logger.decimal.to_string())
}

fn loggers() -> [Logger; 3] {
    [
        Logger {
            id: "tl-7",
            quiet: (42, 66),
            events: vec![
                // Friday before noon: 40 minutes, too short.
                (at(3, 29, 8, 0), at(3, 29, 8, 40), vec![91, 88]),
                // Long, with two failed readings in it.
                (
                    at(3, 29, 13, 20),
                    at(3, 29, 15, 20),
                    vec![84, 92, 101, 117, 109, 96],
                ),
                // At the limit after the correction, then 60 minutes above it.
                (at(3, 30, 4, 0), at(3, 30, 5, 40), vec![83, 83, 84, 86, 84]),
                // Through the change of the clock.
                (
                    at(3, 31, 0, 0),
                    at(3, 31, 2, 20),
                    vec![86, 90, 97, 104, 98, 91, 85],
                ),
                // Below the lower limit after the correction: 2.3 is at it, 2.2 below.
                (
                    at(4, 1, 9, 0),
                    at(4, 1, 11, 0),
                    vec![23, 22, 19, 17, 21, 23],
                ),
                // Before the weekend.
                (at(3, 27, 10, 0), at(3, 27, 12, 0), vec![95]),
            ],
            faults: vec![at(3, 29, 13, 40), at(3, 29, 14, 40), at(3, 31, 8, 0)],
            extension: "csv",
            clock: |utc| utc,
            head: "# TL-3301\ntime,temperature\n",
            line: |time, value| format!("{},{value}\n", time.strftime("%Y-%m-%dT%H:%MZ")),
            fault: "-99.9",
            decimal: '.',
            mark: false,
            crlf: false,
        },
        Logger {
            id: "tl-8",
            quiet: (22, 37),
            events: vec![
                // Under way when the weekend begins.
                (
                    at(3, 28, 21, 0),
                    at(3, 29, 0, 40),
                    vec![49, 52, 55, 57, 58, 61, 64, 60, 57, 53, 50],
                ),
                // Before, during and after planned work.
                (
                    at(3, 30, 8, 40),
                    at(3, 30, 12, 20),
                    vec![51, 66, 90, 120, 134, 118, 97, 85, 77, 64, 52],
                ),
                // Forty minutes that look like a hundred on the wall clock.
                (at(3, 31, 0, 40), at(3, 31, 1, 20), vec![53, 56]),
                // Exactly at the limit after the correction.
                (at(3, 31, 14, 0), at(3, 31, 15, 40), vec![48]),
                // Still going on when the weekend ends.
                (
                    at(4, 1, 20, 20),
                    at(4, 2, 1, 0),
                    vec![50, 53, 57, 59, 62, 66, 70, 71],
                ),
            ],
            faults: vec![at(3, 29, 17, 0), at(4, 1, 21, 0)],
            extension: "csv",
            clock: local_of,
            head: "time;temperature\n",
            line: |time, value| format!("{};{value}\n", time.strftime("%d.%m.%Y %H:%M")),
            fault: "---",
            decimal: ',',
            mark: true,
            crlf: true,
        },
        Logger {
            id: "tl-9",
            quiet: (-62, -18),
            events: vec![
                // 4.1 °F is -15.0 °C after the correction, which is in; 4.2 °F is out.
                (
                    at(3, 29, 21, 0),
                    at(3, 30, 0, 0),
                    vec![41, 42, 44, 47, 51, 45, 42, 41, 41],
                ),
                // Eighty minutes: shorter than the delay of this store.
                (at(3, 30, 16, 0), at(3, 30, 17, 20), vec![55, 61, 58, 44]),
                // A hundred minutes, with a failed reading in them.
                (
                    at(3, 31, 22, 0),
                    at(3, 31, 23, 40),
                    vec![47, 66, 82, 71, 49],
                ),
                // Too cold.
                (
                    at(4, 1, 3, 0),
                    at(4, 1, 5, 0),
                    vec![-140, -152, -149, -141, -150, -143],
                ),
                // In CET it is still Monday, by the wall clock it is Tuesday.
                (at(4, 1, 22, 0), at(4, 2, 0, 20), vec![60, 72, 88]),
            ],
            faults: vec![at(3, 31, 22, 40), at(4, 1, 12, 20)],
            extension: "txt",
            clock: |utc| utc.saturating_add(1.hour()),
            head: "Logger\tTL-3310\nDate\tTime\tTemp F\n",
            line: |time, value| {
                format!(
                    "{}\t{}\t{value}\n",
                    time.strftime("%m/%d/%Y"),
                    time.strftime("%I:%M %p")
                )
            },
            fault: "FAULT",
            decimal: '.',
            mark: false,
            crlf: false,
        },
    ]
}

const PLANNED: &str = "\
Planned work on the cold stores in 2024. All times are those of the wall clock.

store-a  2024-02-12  08:00-10:30  shelves cleaned
store-b  2024-03-30  10:00-12:30  evaporator cleaned (Renko, in spite of the holiday)
store-c  2024-03-31  09:00-11:00  POSTPONED to 2024-04-14
store-a  2024-04-03  13:00-14:00  new seal on the door
";
