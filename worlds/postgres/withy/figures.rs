//! Figures and warnings that were made of the readings, and readings of boreholes.

use std::collections::BTreeMap;

use mcpmark_guest::World;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};

use crate::network::{Quantity, STATIONS};
use crate::readings::{Network, Reading, Written};
use crate::rows::{Rows, hundredths, tenths};
use crate::series::{FIRST, hour, time};

/// Months that have been reported.
const MONTHS: [(i64, i64); 3] = [
    (hour(1, 1, 9), hour(2, 1, 9)),
    (hour(2, 1, 9), hour(3, 1, 9)),
    (hour(3, 1, 9), hour(4, 1, 9)),
];
/// Water days up to the last complete one.
const DAYS: i64 = 122;
/// First water day that is provisional.
const PROVISIONAL: i64 = 90;
/// A reading, the people who were on duty, and minutes until a warning goes out.
const ON_DUTY: [&str; 3] = ["sunniva", "nadia", "sunniva"];

/// Writes all tables and returns the number of warnings.
pub fn write(world: &mut World, network: &Network, written: &Written) -> usize {
    monthly_levels(world, network);
    daily_rain(world, network);
    boreholes(world);
    rejected(world);
    alerts(world, network, written)
}

fn monthly_levels(world: &mut World, network: &Network) {
    let mut table = Rows::new(
        "monthly_levels",
        "month,station,hours,lowest_cm,highest_cm,mean_cm",
    );
    for (at, (from, to)) in MONTHS.into_iter().enumerate() {
        for (place, station) in STATIONS.iter().enumerate() {
            let counts = |reading: &&Reading| {
                reading.station == place
                    && reading.quantity == Quantity::Level
                    && (from..to).contains(&reading.hour)
                    && reading.quality != "suspect"
                    && !reading.parallel
            };
            let values: Vec<i64> = network
                .readings
                .iter()
                .filter(counts)
                .map(|reading| reading.value / 10)
                .collect();
            let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else {
                continue;
            };
            let (sum, count) = (values.iter().sum::<i64>(), values.len() as i64);
            table.add([
                date(2026, at as i8 + 1, 1).into(),
                station.code.into(),
                values.len().into(),
                tenths(*low),
                tenths(*high),
                tenths((2 * sum + count) / (2 * count)),
            ]);
        }
    }
    table.write(world);
}

fn daily_rain(world: &mut World, network: &Network) {
    let mut sums: BTreeMap<(i64, usize), i64> = BTreeMap::new();
    let rain = network
        .readings
        .iter()
        .filter(|reading| reading.quantity == Quantity::Rain && reading.quality != "suspect");
    for reading in rain {
        let day = (reading.hour - 9).div_euclid(24);
        *sums.entry((day, reading.station)).or_default() += reading.value;
    }
    let mut table = Rows::new("daily_rain", "day,station,rain_mm,status");
    for ((day, station), sum) in sums {
        if (0..DAYS).contains(&day) {
            let status = if day < PROVISIONAL {
                "published"
            } else {
                "provisional"
            };
            table.add([
                (FIRST.date() + day.days()).into(),
                STATIONS[station].code.into(),
                hundredths(sum),
                status.into(),
            ]);
        }
    }
    table.write(world);
}

fn boreholes(world: &mut World) {
    let mut parts: BTreeMap<i8, Rows> = BTreeMap::new();
    let names = [
        "borehole_readings_2026_01",
        "borehole_readings_2026_02",
        "borehole_readings_2026_03",
        "borehole_readings_2026_04",
        "borehole_readings_2026_05",
        "borehole_readings_2026_06",
        "borehole_readings_2026_07",
    ];
    for (at, name) in names.into_iter().enumerate() {
        parts.insert(
            at as i8 + 1,
            Rows::new(name, "id,borehole,taken_at,depth_cm"),
        );
    }
    let (mut id, mut day) = (0_usize, date(2026, 1, 5));
    while day < date(2026, 5, 4) {
        for (borehole, depth) in [("Carrow Down", 2140), ("Lode Farm", 870)] {
            id += 1;
            let weeks = i64::from(day.day_of_year()) / 7;
            let part = parts.get_mut(&day.month()).expect("a part of the month");
            part.add([
                id.into(),
                borehole.into(),
                day.at(10, 30, 0, 0).into(),
                tenths(depth + (weeks - 9).pow(2) * 3),
            ]);
        }
        day = day + 7.days();
    }
    for part in parts.into_values() {
        part.write(world);
    }
}

/// Adds the readings that the old import program rejected.
fn rejected(world: &mut World) {
    let columns = "id,device,station,quantity,taken_at,value,import_id,reason,rejected_at";
    let mut table = Rows::new("rejected_readings", columns);
    let rows: [(&str, &str, &str, Date, i8, i64, &str); 6] = [
        (
            "L-108",
            "KEL",
            "level",
            date(2025, 2, 3),
            4,
            90_000,
            "range",
        ),
        (
            "L-103",
            "CAL",
            "level",
            date(2025, 2, 27),
            17,
            21_440,
            "jump",
        ),
        ("R-202", "DUN", "rain", date(2025, 6, 1), 12, 9_980, "range"),
        (
            "T-301",
            "CAL",
            "temperature",
            date(2025, 7, 19),
            15,
            4_120,
            "range",
        ),
        ("L-109", "LOW", "level", date(2025, 8, 8), 2, -540, "range"),
        (
            "L-105",
            "ELM",
            "level",
            date(2025, 9, 30),
            23,
            12_070,
            "time",
        ),
    ];
    for (at, (device, station, quantity, day, clock, value, reason)) in rows.into_iter().enumerate()
    {
        let taken = day.at(clock, 0, 0, 0);
        let at_night = if reason == "time" {
            day
        } else {
            day + 1.days()
        };
        table.add([
            (at + 1).into(),
            device.into(),
            station.into(),
            quantity.into(),
            taken.into(),
            hundredths(value),
            None::<&str>.into(),
            reason.into(),
            at_night.at(0, 7, 12, 0).into(),
        ]);
    }
    table.write(world);
}

/// A warning goes out after the second of two levels in a row at or above the warning level, if none has for two days.
fn alerts(world: &mut World, network: &Network, written: &Written) -> usize {
    let mut found: Vec<(i64, &Reading, i64)> = Vec::new();
    for (place, station) in STATIONS.iter().enumerate() {
        let levels: Vec<&Reading> = network
            .readings
            .iter()
            .filter(|reading| {
                reading.station == place && reading.quantity == Quantity::Level && !reading.parallel
            })
            .collect();
        let mut last = -1000;
        for pair in levels.windows(2) {
            let [first, second] = pair else {
                continue;
            };
            let is_high = |reading: &Reading| reading.value >= station.warning * 10;
            if is_high(first) && is_high(second) && second.hour - last > 96 {
                last = second.hour;
                let minutes = match station.code {
                    "HAR" => 40,
                    "ASH" => 24,
                    _ => 12 + (second.hour * 7 + place as i64) % 16,
                };
                found.push((second.hour, second, minutes));
            }
        }
    }
    found.sort_by_key(|(hour, reading, _)| (*hour, reading.station));
    let columns = "id,station,reading_id,reading_at,level_cm,sent_at,sent_by";
    let mut table = Rows::new("alerts", columns);
    for (at, (hour, reading, minutes)) in found.iter().enumerate() {
        // Warnings of the week whose memory was read out were linked to the readings from there.
        let number = written.number(reading.device, *hour, true);
        let sent = time(*hour) + minutes.minutes();
        table.add([
            (at + 1).into(),
            STATIONS[reading.station].code.into(),
            number.into(),
            time(*hour).into(),
            tenths(reading.value / 10),
            sent.into(),
            ON_DUTY[at % ON_DUTY.len()].into(),
        ]);
    }
    table.write(world);
    found.len()
}
