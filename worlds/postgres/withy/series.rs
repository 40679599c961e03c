//! Levels, rain and temperatures as they really were, hour by hour.

use mcpmark_guest::Random;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{DateTime, date};

use crate::network::{STATIONS, Station};

/// Time of the hour 0.
pub const FIRST: DateTime = date(2026, 1, 1).at(0, 0, 0, 0);
/// Number of hours up to 4 May, 07:00.
pub const HOURS: i64 = 123 * 24 + 8;

/// Returns the time of an hour.
pub fn time(hour: i64) -> DateTime {
    FIRST + hour.hours()
}

/// Returns the hour of a time.
pub const fn hour(month: i64, day: i64, hour: i64) -> i64 {
    let before = match month {
        1 => 0,
        2 => 31,
        3 => 59,
        4 => 90,
        _ => 120,
    };
    (before + day - 1) * 24 + hour
}

/// A flood: the hour of its peak, its height in tenths of a centimetre, and the stations that it reaches.
struct Flood {
    peak: i64,
    height: i64,
    rise: i64,
    fall: i64,
    only: &'static [&'static str],
}

const FLOODS: [Flood; 5] = [
    Flood {
        peak: hour(1, 18, 20),
        height: 1250,
        rise: 16,
        fall: 60,
        only: &[],
    },
    Flood {
        peak: hour(2, 9, 6),
        height: 420,
        rise: 20,
        fall: 50,
        only: &[],
    },
    Flood {
        peak: hour(3, 12, 15),
        height: 1640,
        rise: 12,
        fall: 40,
        only: &["DUN", "ELM"],
    },
    Flood {
        peak: hour(3, 24, 21),
        height: 1780,
        rise: 15,
        fall: 66,
        only: &[],
    },
    Flood {
        peak: hour(4, 16, 12),
        height: 690,
        rise: 18,
        fall: 48,
        only: &[],
    },
];

/// Levels at hours that must not depend on the seed, between which a straight line is drawn: the flood of 24 March at
/// Harrow Bridge, and that of 18 January at Ashby Mill.
const FIXED: [(&str, &[(i64, i64)]); 2] = [
    (
        "HAR",
        &[
            (hour(3, 23, 20), 1214),
            (hour(3, 24, 8), 1420),
            (hour(3, 24, 12), 1842),
            (hour(3, 24, 13), 1986),
            (hour(3, 24, 14), 2111),
            (hour(3, 24, 15), 2169),
            (hour(3, 24, 16), 2254),
            (hour(3, 24, 21), 2630),
            (hour(3, 25, 6), 2348),
            (hour(3, 25, 18), 1907),
            (hour(3, 27, 0), 1266),
        ],
    ),
    (
        "ASH",
        &[
            (hour(1, 18, 4), 1010),
            (hour(1, 18, 11), 2072),
            (hour(1, 18, 12), 2168),
            (hour(1, 18, 13), 2231),
            (hour(1, 18, 20), 2412),
            (hour(1, 20, 6), 1180),
        ],
    ),
];

/// Returns the level of each hour in tenths of a centimetre.
pub fn levels(random: &mut Random, station: &Station) -> Vec<i64> {
    let mut levels = Vec::new();
    let mut drift = 0;
    for at in 0..HOURS {
        drift += random.between(-4, 4) - drift / 40;
        let floods = FLOODS
            .iter()
            .filter(|flood| flood.only.is_empty() || flood.only.contains(&station.code));
        let rise: i64 = floods
            .map(|flood| height(flood, at) * station.share / 100)
            .sum();
        levels.push(station.base + drift + rise);
    }
    if ["ASH", "BRK", "ELM"].contains(&station.code) {
        // The wave of 24 March came within one hour.
        for level in &mut levels[hour(3, 24, 13) as usize..hour(3, 25, 3) as usize] {
            *level += 560;
        }
    }
    if station.code == "KEL" {
        for _ in 0..14 {
            let from = random.between(0, HOURS - 40) as usize;
            let length = random.between(3, 9) as usize;
            for level in &mut levels[from..from + length] {
                *level += 1020;
            }
        }
    }
    for (_, points) in FIXED.iter().filter(|(code, _)| *code == station.code) {
        for pair in points.windows(2) {
            let [(from, low), (to, high)] = pair else {
                continue;
            };
            for at in *from..=*to {
                levels[at as usize] = low + (high - low) * (at - from) / (to - from);
            }
        }
    }
    levels
}

/// Returns what a flood adds at an hour: a rise that becomes steeper, and a fall that becomes flatter.
fn height(flood: &Flood, at: i64) -> i64 {
    let (before, after) = (flood.peak - at, at - flood.peak);
    if before > flood.rise || after > flood.fall {
        0
    } else if before >= 0 {
        let part = flood.rise - before;
        flood.height * part * part / (flood.rise * flood.rise)
    } else {
        let part = flood.fall - after;
        flood.height * part * part / (flood.fall * flood.fall)
    }
}

/// Returns the rain of each hour in hundredths of a millimetre, in steps of 0.2 mm.
pub fn rain(random: &mut Random) -> Vec<i64> {
    let mut rain = Vec::new();
    let mut left = 0;
    for at in 0..HOURS {
        let is_flood = FLOODS
            .iter()
            .any(|flood| flood.only.is_empty() && (4..30).contains(&(flood.peak - at)));
        if left == 0 && random.chance(1, if is_flood { 2 } else { 60 }) {
            left = random.between(2, 11);
        }
        let amount = if left > 0 {
            left -= 1;
            random.between(0, if is_flood { 32 } else { 14 }) * 20
        } else {
            0
        };
        rain.push(amount);
    }
    rain
}

/// Returns the temperature of the water at each hour in tenths of a degree.
pub fn temperatures(random: &mut Random) -> Vec<i64> {
    let mut drift = 0;
    (0..HOURS)
        .map(|at| {
            drift += random.between(-2, 2) - drift / 30;
            let season = 38 + at * 68 / HOURS;
            let of_day = [-3, -4, -4, -2, 1, 3, 4, 1][(at % 24 / 3) as usize];
            season + of_day + drift
        })
        .collect()
}

/// Returns the station with a code.
pub fn place(code: &str) -> usize {
    STATIONS
        .iter()
        .position(|station| station.code == code)
        .expect("a station of this code")
}
