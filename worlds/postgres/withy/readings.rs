//! Readings that the devices sent, and files that were imported twice.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{DateTime, date};
use mcpmark_guest::{Random, World};

use crate::network::{Device, Quantity, STATIONS, devices};
use crate::rows::{Rows, hundredths};
use crate::series::{self, HOURS, hour, time};

/// Time from which readings are raw.
const RAW: i64 = hour(5, 1, 9);
/// Hours in which the clock of the new gauge at Harrow Bridge was fast, both included.
const FAST: (i64, i64) = (hour(3, 17, 11), hour(3, 30, 12));
/// Error of this gauge until it was adjusted, in tenths of a centimetre: it showed too little.
const LOW: i64 = 40;
/// Hour at which a cracked cable made the gauge at Lowmoor send the highest number that it can.
const CRACKED: i64 = hour(5, 2, 11);
/// Hours whose memory was read out later, the second one not included.
const MEMORY: (i64, i64) = (hour(3, 9, 0), hour(3, 16, 0));
/// Devices whose memory was read out.
const READ_OUT: [&str; 2] = ["L-104", "L-105"];
/// Day whose file was read in twice.
const TWICE: i64 = hour(2, 7, 0) / 24;
/// Readings that the radio brought with those of the next day.
const LATE: [(&str, i64); 2] = [("L-103", hour(1, 31, 22)), ("L-103", hour(1, 31, 23))];
/// Days with an outage: station, first hour, hours, cause.
const OUTAGES: [(&str, i64, i64, &str); 5] = [
    (
        "KEL",
        hour(1, 21, 3),
        29,
        "Grating blocked, gauge in the mud",
    ),
    ("LOW", hour(2, 11, 14), 8, "Battery"),
    ("CAL", hour(3, 6, 20), 11, "Radio mast iced over"),
    ("ELM", hour(4, 12, 5), 17, "Battery"),
    ("BRK", hour(4, 27, 22), 6, "Cut cable"),
];
/// Hours with rain that was corrected by hand while the gauge sent inches.
const BY_HAND: [(&str, i64); 5] = [
    ("LOW", hour(3, 24, 11)),
    ("LOW", hour(4, 15, 18)),
    ("LOW", hour(4, 16, 3)),
    ("DUN", hour(4, 15, 20)),
    ("DUN", hour(4, 16, 1)),
];

/// One reading, before it has a number.
#[derive(Clone)]
pub struct Reading {
    pub device: &'static str,
    pub station: usize,
    pub quantity: Quantity,
    /// Hour by the clock of the logger.
    pub hour: i64,
    /// Hundredths of the unit.
    pub value: i64,
    pub quality: &'static str,
    pub parallel: bool,
}

/// Readings of one file.
struct Import {
    file: String,
    source: &'static str,
    started: DateTime,
    readings: Vec<Reading>,
}

/// All readings as they were when the figures were made, and the files that they came in.
pub struct Network {
    /// Readings without doubles.
    pub readings: Vec<Reading>,
    /// Files, in the order in which they were read in.
    imports: Vec<Import>,
}

/// Returns the hours of a device, both included.
fn mounted(device: &Device) -> (i64, i64) {
    let hours = |time: DateTime| {
        let span = time.duration_since(series::FIRST);
        span.as_hours()
    };
    let from = hours(device.since) + 1;
    let to = device.until.map_or(HOURS - 1, hours);
    (from.max(0), to)
}

/// Makes what the devices sent.
pub fn network(random: &mut Random) -> Network {
    let levels: Vec<Vec<i64>> = STATIONS
        .iter()
        .map(|station| series::levels(random, station))
        .collect();
    let rain = ["BRK", "DUN", "LOW"].map(|code| (code, series::rain(random)));
    let temperatures = ["CAL", "FOX"].map(|code| (code, series::temperatures(random)));
    let of = |list: &[(&str, Vec<i64>)], code: &str, at: i64| {
        let found = list.iter().find(|(station, _)| *station == code);
        found.map_or(0, |(_, series)| series[at as usize])
    };

    let devices = devices();
    let (mut readings, mut memory) = (Vec::new(), Vec::new());
    for at in 0..HOURS {
        for device in &devices {
            let (from, to) = mounted(device);
            let is_out = OUTAGES.iter().any(|(code, first, hours, _)| {
                *code == device.station && (*first..first + hours).contains(&at)
            });
            if at < from || at > to || is_out {
                continue;
            }
            let station = series::place(device.station);
            let mut reading = Reading {
                device: device.serial,
                station,
                quantity: device.quantity,
                hour: at,
                value: 0,
                quality: quality(random, at, device),
                parallel: device.parallel,
            };
            match device.quantity {
                Quantity::Level => {
                    let mut level = levels[station][at as usize];
                    if device.parallel {
                        level += random.between(-12, 12);
                    }
                    if device.serial == "L-131" && at <= FAST.1 {
                        level -= LOW;
                    }
                    reading.value = level * 10;
                    if device.serial == "L-109" && at == CRACKED {
                        reading.value = 409_600;
                        reading.quality = "suspect";
                    }
                }
                Quantity::Rain => rain_of(&mut reading, device, of(&rain, device.station, at)),
                Quantity::Temperature if at % 3 != 0 => continue,
                Quantity::Temperature => {
                    reading.value = of(&temperatures, device.station, at) * 10;
                }
            }
            if device.serial == "L-131" && at == FAST.1 + 1 {
                // The clock was set back, so this hour has been there already.
                continue;
            }
            if device.serial == "L-131" && (FAST.0..=FAST.1).contains(&at) {
                reading.hour += 1;
            }
            if READ_OUT.contains(&device.serial) && (MEMORY.0..MEMORY.1).contains(&at) {
                let mut remembered = reading.clone();
                remembered.quality = "raw";
                memory.push(remembered);
                if !came_through(random, &mut reading) {
                    continue;
                }
            }
            readings.push(reading);
        }
    }
    let imports = imports(random, &readings, memory);
    Network { readings, imports }
}

/// Most readings were looked at; some of them are suspect, and some levels corrected. Nobody doubted those of the flood
/// at Harrow Bridge.
fn quality(random: &mut Random, at: i64, device: &Device) -> &'static str {
    let chance = random.below(1000);
    if at >= RAW {
        "raw"
    } else if device.station == "HAR" && at / 24 == hour(3, 24, 0) / 24 {
        "good"
    } else if chance < 12 {
        "suspect"
    } else if chance < 16 && device.quantity == Quantity::Level {
        "corrected"
    } else {
        "good"
    }
}

/// A gauge that counts hundredths of an inch, and sent them until it was set to millimetres.
fn rain_of(reading: &mut Reading, device: &Device, amount: i64) {
    let set = match device.serial {
        "R-214" => hour(4, 21, 11),
        "R-215" => hour(5, 1, 10),
        _ => -1,
    };
    let by_hand = BY_HAND.contains(&(device.station, reading.hour));
    if by_hand {
        // Whoever entered it had the millimetres of the neighbour's glass.
        reading.value = amount.max(40) + 130;
        reading.quality = "corrected";
    } else if reading.hour <= set {
        reading.value = (amount * 10 + 127) / 254;
    } else {
        reading.value = amount;
    }
}

/// The radio was bad: a quarter of the readings was lost, and of some others the last digit. Returns false if it was
/// lost.
fn came_through(random: &mut Random, reading: &mut Reading) -> bool {
    let chance = random.below(100);
    if reading.device == "L-104" && reading.hour == hour(3, 12, 4) {
        // Corrected by a person, with a value of its own.
        reading.value += 170;
        reading.quality = "corrected";
        return true;
    }
    if reading.device == "L-105" && reading.hour == hour(3, 13, 6) {
        // Suspect for good reason: the first digit is lost.
        reading.value %= 1000;
        reading.quality = "suspect";
        return true;
    }
    if FIXED_RADIO.contains(&(reading.device, reading.hour)) {
        return true;
    }
    if chance < 18 {
        reading.value -= reading.value % 100;
    }
    chance < 75
}

/// Readings that the radio brought, whatever else it lost.
const FIXED_RADIO: [(&str, i64); 3] = [
    ("L-104", hour(3, 12, 12)),
    ("L-104", hour(3, 12, 13)),
    ("L-104", hour(3, 12, 14)),
];

/// Distributes the readings over the files of the days, and adds those that were read in once more.
fn imports(random: &mut Random, readings: &[Reading], memory: Vec<Reading>) -> Vec<Import> {
    let mut imports: Vec<Import> = Vec::new();
    let days = (HOURS + 23) / 24;
    for day in 0..days {
        let is_late = |reading: &&Reading| LATE.contains(&(reading.device, reading.hour));
        let of_day = readings.iter().filter(|reading| reading.hour / 24 == day);
        let mut of_day: Vec<Reading> = of_day.filter(|it| !is_late(it)).cloned().collect();
        of_day.sort_by_key(|reading| (reading.hour, reading.device));
        let of_day_before = readings
            .iter()
            .filter(|reading| reading.hour / 24 == day - 1);
        of_day.extend(of_day_before.filter(is_late).cloned());
        let started = if day + 1 == days {
            date(2026, 5, 4).at(7, 10, 0, 0)
        } else {
            time((day + 1) * 24) + random.between(4, 11).minutes()
        };
        let name = time(day * 24).date();
        imports.push(Import {
            file: format!("radio-{name}.csv"),
            source: "radio",
            started,
            readings: twice_in_one(of_day),
        });
    }
    let mut again = imports[TWICE as usize].readings.clone();
    for reading in &mut again {
        reading.quality = "raw";
    }
    imports.push(Import {
        file: imports[TWICE as usize].file.clone(),
        source: "radio",
        started: date(2026, 4, 29).at(15, 32, 0, 0),
        readings: again,
    });
    for (at, device) in READ_OUT.into_iter().enumerate() {
        let of_device = memory.iter().filter(|reading| reading.device == device);
        imports.push(Import {
            file: format!("memory-{device}-2026-03.csv"),
            source: "memory",
            started: date(2026, 5, 2).at(16, 40 + at as i8 * 12, 0, 0),
            readings: of_device.cloned().collect(),
        });
    }
    imports.sort_by_key(|import| import.started);
    imports
}

/// Some probes repeat what they sent, a few of them with another value.
fn twice_in_one(mut readings: Vec<Reading>) -> Vec<Reading> {
    let repeats = [
        ("T-301", hour(1, 13, 6), 0),
        ("T-302", hour(1, 29, 21), 0),
        ("T-301", hour(2, 18, 3), 20),
        ("T-302", hour(3, 4, 15), 0),
        ("T-302", hour(3, 21, 9), -10),
        ("T-301", hour(4, 8, 12), 0),
        ("T-301", hour(4, 19, 0), 30),
    ];
    for (device, at, more) in repeats {
        let first = readings
            .iter()
            .position(|reading| reading.device == device && reading.hour == at);
        if let Some(first) = first {
            let mut repeated = readings[first].clone();
            repeated.value += more;
            repeated.quality = "raw";
            readings.insert(first + 1, repeated);
        }
    }
    readings
}

/// Readings with their numbers.
pub struct Written {
    /// Device, hour and number, in the order of the numbers.
    numbers: Vec<(&'static str, i64, usize)>,
    pub imports: usize,
}

impl Written {
    pub fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the number of the first or the last reading of a device at an hour.
    pub fn number(&self, device: &str, hour: i64, last: bool) -> usize {
        let mut found = self
            .numbers
            .iter()
            .filter(|(serial, at, _)| *serial == device && *at == hour)
            .map(|(_, _, number)| *number);
        let number = if last {
            found.next_back()
        } else {
            found.next()
        };
        number.expect("a reading of this device and hour")
    }
}

impl Network {
    /// Writes the tables `imports`, `readings` and `outages`.
    pub fn write(&self, world: &mut World) -> Written {
        let mut files = Rows::new("imports", "id,file,source,started_at");
        let columns = "id,device,station,quantity,taken_at,value,quality,import_id";
        let mut table = Rows::new("readings", columns);
        let mut numbers = Vec::new();
        for (at, import) in self.imports.iter().enumerate() {
            let id = at + 1;
            files.add([
                id.into(),
                (&import.file).into(),
                import.source.into(),
                import.started.into(),
            ]);
            for reading in &import.readings {
                let number = numbers.len() + 1;
                numbers.push((reading.device, reading.hour, number));
                table.add([
                    number.into(),
                    reading.device.into(),
                    STATIONS[reading.station].code.into(),
                    reading.quantity.name().into(),
                    time(reading.hour).into(),
                    hundredths(reading.value),
                    reading.quality.into(),
                    id.into(),
                ]);
            }
        }
        files.write(world);
        table.write(world);
        Rows::new("readings_archive", columns).write(world);

        let mut table = Rows::new("outages", "id,station,since,until,cause");
        for (at, (station, first, hours, cause)) in OUTAGES.into_iter().enumerate() {
            table.add([
                (at + 31).into(),
                station.into(),
                time(first).into(),
                time(first + hours).into(),
                cause.into(),
            ]);
        }
        table.write(world);
        Written {
            numbers,
            imports: self.imports.len(),
        }
    }
}
