//! Stations, devices and people.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::{Date, DateTime, date};

use crate::rows::{Rows, tenths};

/// A station. Levels are tenths of a centimetre.
pub struct Station {
    pub code: &'static str,
    name: &'static str,
    river: &'static str,
    /// Level in dry weather.
    pub base: i64,
    pub warning: i64,
    /// Share of a flood that arrives here, in percent.
    pub share: i64,
}

const fn station(
    code: &'static str,
    name: &'static str,
    river: &'static str,
    [base, warning, share]: [i64; 3],
) -> Station {
    Station {
        code,
        name,
        river,
        base,
        warning,
        share,
    }
}

/// The stations, by code.
pub const STATIONS: [Station; 10] = [
    station("ASH", "Ashby Mill", "Withy", [980, 2150, 80]),
    station("BRK", "Brook End", "Carrow", [620, 1850, 85]),
    station("CAL", "Caldwell Weir", "Withy", [1340, 2800, 75]),
    station("DUN", "Dunmere", "Carrow", [710, 1700, 70]),
    station("ELM", "Elmbridge", "Withy", [1120, 2200, 90]),
    station("FOX", "Foxley Lock", "Withy", [1510, 2950, 70]),
    station("HAR", "Harrow Bridge", "Withy", [1180, 2100, 40]),
    station("KEL", "Kelder Sluice", "Carrow", [830, 3400, 65]),
    station("LOW", "Lowmoor", "Lode", [540, 1700, 60]),
    station("MIL", "Millbeck", "Lode", [470, 1600, 55]),
];

/// Last day of Millbeck.
const CLOSED: Date = date(2026, 3, 31);

/// Quantity that a device measures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Quantity {
    Level,
    Rain,
    Temperature,
}

impl Quantity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::Rain => "rain",
            Self::Temperature => "temperature",
        }
    }
}

/// A device at a station.
pub struct Device {
    pub serial: &'static str,
    pub quantity: Quantity,
    model: &'static str,
    bought: Date,
    pub station: &'static str,
    pub since: DateTime,
    pub until: Option<DateTime>,
    pub parallel: bool,
}

const START: Date = date(2024, 3, 4);

const fn device(serial: &'static str, quantity: Quantity, station: &'static str) -> Device {
    let model = match quantity {
        Quantity::Level => "Pegel 4",
        Quantity::Rain => "Ombro M",
        Quantity::Temperature => "Therm 2",
    };
    Device {
        serial,
        quantity,
        model,
        bought: date(2024, 2, 12),
        station,
        since: START.at(10, 0, 0, 0),
        until: None,
        parallel: false,
    }
}

const fn until(mut device: Device, until: DateTime) -> Device {
    device.until = Some(until);
    device
}

const fn swapped_in(mut device: Device, model: &'static str, since: DateTime) -> Device {
    device.model = model;
    device.bought = date(2026, 1, 26);
    device.since = since;
    device
}

/// The devices, by serial number.
pub fn devices() -> Vec<Device> {
    use Quantity::{Level, Rain, Temperature};
    let mut parallel = swapped_in(
        device("L-132", Level, "FOX"),
        "Pegel 5",
        date(2026, 4, 20).at(11, 30, 0, 0),
    );
    parallel.parallel = true;
    vec![
        device("L-101", Level, "ASH"),
        device("L-102", Level, "BRK"),
        device("L-103", Level, "CAL"),
        device("L-104", Level, "DUN"),
        device("L-105", Level, "ELM"),
        device("L-106", Level, "FOX"),
        until(
            device("L-107", Level, "HAR"),
            date(2026, 3, 17).at(10, 20, 0, 0),
        ),
        device("L-108", Level, "KEL"),
        device("L-109", Level, "LOW"),
        until(device("L-110", Level, "MIL"), CLOSED.at(17, 0, 0, 0)),
        swapped_in(
            device("L-131", Level, "HAR"),
            "Pegel 5",
            date(2026, 3, 17).at(10, 30, 0, 0),
        ),
        parallel,
        until(
            device("R-201", Rain, "BRK"),
            date(2026, 3, 26).at(9, 50, 0, 0),
        ),
        until(
            device("R-202", Rain, "DUN"),
            date(2026, 3, 19).at(13, 30, 0, 0),
        ),
        until(
            device("R-203", Rain, "LOW"),
            date(2026, 2, 24).at(12, 40, 0, 0),
        ),
        swapped_in(
            device("R-214", Rain, "LOW"),
            "TB-200",
            date(2026, 2, 24).at(13, 0, 0, 0),
        ),
        swapped_in(
            device("R-215", Rain, "DUN"),
            "TB-200",
            date(2026, 3, 19).at(14, 0, 0, 0),
        ),
        swapped_in(
            device("R-216", Rain, "BRK"),
            "TB-200",
            date(2026, 3, 26).at(10, 20, 0, 0),
        ),
        device("T-301", Temperature, "CAL"),
        device("T-302", Temperature, "FOX"),
    ]
}

/// Login, name, job, first and last day.
const PEOPLE: [(&str, &str, &str, Date, Option<Date>); 8] = [
    (
        "gil",
        "Gil Ashdown",
        "letters and claims",
        date(2021, 9, 1),
        None,
    ),
    (
        "maud",
        "Maud Ilic",
        "field technician",
        date(2022, 4, 1),
        None,
    ),
    (
        "nadia",
        "Nadia Ferris",
        "head of hydrology",
        date(2018, 2, 1),
        None,
    ),
    ("owen", "Owen Tull", "data", date(2023, 1, 9), None),
    (
        "perrin",
        "Perrin Agar",
        "field technician",
        date(2020, 6, 1),
        None,
    ),
    ("rafe", "Rafe Oduya", "workshop", date(2019, 11, 4), None),
    (
        "sunniva",
        "Sunniva Dahl",
        "flood desk",
        date(2022, 10, 3),
        None,
    ),
    (
        "tess",
        "Tess Morrow",
        "field technician",
        date(2017, 5, 2),
        Some(date(2026, 2, 28)),
    ),
];

/// Dates, offsets and people of the comparisons of level gauges.
const CALIBRATIONS: [(&str, Date, &str, i64); 9] = [
    ("L-101", date(2025, 9, 9), "tess", 0),
    ("L-103", date(2025, 9, 9), "tess", -5),
    ("L-107", date(2025, 9, 16), "maud", 10),
    ("L-104", date(2025, 10, 7), "perrin", 5),
    ("L-105", date(2025, 10, 7), "perrin", 0),
    ("L-106", date(2026, 3, 2), "maud", -10),
    ("L-131", date(2026, 3, 30), "maud", 40),
    ("L-101", date(2026, 3, 31), "perrin", 5),
    ("L-105", date(2026, 4, 22), "maud", -15),
];

pub fn write(world: &mut World) {
    let mut table = Rows::new(
        "stations",
        "code,name,river,lowest_cm,highest_cm,warning_cm,opened_on,closed_on",
    );
    for station in &STATIONS {
        let closed = (station.code == "MIL").then_some(CLOSED);
        table.add([
            station.code.into(),
            station.name.into(),
            station.river.into(),
            tenths(station.base - 450),
            tenths(station.warning + 1600),
            tenths(station.warning),
            START.into(),
            closed.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("devices", "serial,model,quantity,unit,bought_on");
    let mut places = Rows::new("deployments", "id,device,station,part,since,until");
    for (at, device) in devices().into_iter().enumerate() {
        let unit = match device.quantity {
            Quantity::Level => "cm",
            Quantity::Rain if device.model == "TB-200" => "inch",
            Quantity::Rain => "mm",
            Quantity::Temperature => "°C",
        };
        table.add([
            device.serial.into(),
            device.model.into(),
            device.quantity.name().into(),
            unit.into(),
            device.bought.into(),
        ]);
        let part = if device.parallel { "parallel" } else { "gauge" };
        places.add([
            (at + 1).into(),
            device.serial.into(),
            device.station.into(),
            part.into(),
            device.since.into(),
            device.until.into(),
        ]);
    }
    table.write(world);
    places.write(world);

    let mut table = Rows::new("people", "login,full_name,job,started_on,left_on");
    for (login, name, job, started, left) in PEOPLE {
        table.add([
            login.into(),
            name.into(),
            job.into(),
            started.into(),
            left.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("calibrations", "id,device,done_on,done_by,offset_cm");
    for (at, (device, on, by, offset)) in CALIBRATIONS.into_iter().enumerate() {
        table.add([
            (at + 41).into(),
            device.into(),
            on.into(),
            by.into(),
            tenths(offset),
        ]);
    }
    table.write(world);
}
