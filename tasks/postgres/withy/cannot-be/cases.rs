//! Readings that come in, and what has to become of them.

/// Expected outcome for a reading.
#[derive(Clone, Copy, PartialEq)]
pub enum Fate {
    /// It is in `readings`.
    Kept,
    /// It is in `rejected_readings` with this reason.
    Rejected(&'static str),
}

/// A reading that comes in.
pub struct Case {
    /// Check that it belongs to.
    pub check: &'static str,
    /// Device, station, quantity, time, value and quality. A time that begins with a plus sign is in minutes from now.
    pub reading: [&'static str; 6],
    pub fate: Fate,
}

const fn case(check: &'static str, reading: [&'static str; 6], fate: Fate) -> Case {
    Case {
        check,
        reading,
        fate,
    }
}

pub const RANGE: &str = "what is out of range";
pub const JUMP: &str = "what jumps";
pub const TIME: &str = "what is ahead of the clock";
pub const CORRECTED: &str = "what people correct";

use Fate::{Kept, Rejected};

/// Readings by the import program, in this order. The levels of 07:00 are 51.1 at Lowmoor, 122.2 at Harrow Bridge, 94.5
/// at Ashby Mill, 136.5 at Caldwell, 86.2 at Kelder, and 148.1 and 147.4 at Foxley.
pub const CASES: [Case; 34] = [
    // 9.0 cm is the bed of the river at Lowmoor, and 330.0 cm the deck of the bridge.
    case(
        RANGE,
        [
            "L-109",
            "LOW",
            "level",
            "2026-05-04 08:00:00+00",
            "9.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "L-109",
            "LOW",
            "level",
            "2026-05-04 10:00:00+00",
            "8.90",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "L-109",
            "LOW",
            "level",
            "2026-05-04 14:00:00+00",
            "330.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "L-109",
            "LOW",
            "level",
            "2026-05-04 15:00:00+00",
            "330.10",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "R-214",
            "LOW",
            "rain",
            "2026-05-04 08:00:00+00",
            "50.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "R-214",
            "LOW",
            "rain",
            "2026-05-04 09:00:00+00",
            "50.01",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "R-214",
            "LOW",
            "rain",
            "2026-05-04 10:00:00+00",
            "0.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "R-214",
            "LOW",
            "rain",
            "2026-05-04 11:00:00+00",
            "-0.20",
            "good",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "T-301",
            "CAL",
            "temperature",
            "2026-05-04 09:00:00+00",
            "-2.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "T-301",
            "CAL",
            "temperature",
            "2026-05-04 12:00:00+00",
            "-2.10",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "T-301",
            "CAL",
            "temperature",
            "2026-05-04 15:00:00+00",
            "35.00",
            "raw",
        ],
        Kept,
    ),
    case(
        RANGE,
        [
            "T-301",
            "CAL",
            "temperature",
            "2026-05-04 18:00:00+00",
            "35.10",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        RANGE,
        [
            "L-108",
            "KEL",
            "level",
            "2026-05-04 12:00:00+00",
            "500.10",
            "raw",
        ],
        Rejected("range"),
    ),
    // Eighty centimetres are plausible, and a reading that was rejected is no reading before.
    case(
        JUMP,
        [
            "L-131",
            "HAR",
            "level",
            "2026-05-04 08:00:00+00",
            "202.20",
            "raw",
        ],
        Kept,
    ),
    case(
        JUMP,
        [
            "L-131",
            "HAR",
            "level",
            "2026-05-04 09:00:00+00",
            "282.30",
            "raw",
        ],
        Rejected("jump"),
    ),
    case(
        JUMP,
        [
            "L-131",
            "HAR",
            "level",
            "2026-05-04 10:00:00+00",
            "270.00",
            "raw",
        ],
        Kept,
    ),
    case(
        JUMP,
        [
            "L-131",
            "HAR",
            "level",
            "2026-05-04 11:00:00+00",
            "189.00",
            "suspect",
        ],
        Rejected("jump"),
    ),
    // Three hours are still short, and a minute more is not.
    case(
        JUMP,
        [
            "L-101",
            "ASH",
            "level",
            "2026-05-04 10:00:00+00",
            "194.60",
            "raw",
        ],
        Rejected("jump"),
    ),
    case(
        JUMP,
        [
            "L-101",
            "ASH",
            "level",
            "2026-05-04 10:01:00+00",
            "194.70",
            "raw",
        ],
        Kept,
    ),
    // Kelder is the sluice.
    case(
        JUMP,
        [
            "L-108",
            "KEL",
            "level",
            "2026-05-04 08:00:00+00",
            "188.20",
            "raw",
        ],
        Kept,
    ),
    // Somebody had marked the last reading of Dunmere, 200 cm, as suspect. The one before it is near 75.
    case(
        JUMP,
        [
            "L-104",
            "DUN",
            "level",
            "2026-05-04 08:00:00+00",
            "76.00",
            "raw",
        ],
        Kept,
    ),
    // A reading from the flood of March, which a memory brings in now.
    case(
        JUMP,
        [
            "L-104",
            "DUN",
            "level",
            "2026-03-12 15:30:00+00",
            "186.00",
            "raw",
        ],
        Kept,
    ),
    case(
        JUMP,
        [
            "L-104",
            "DUN",
            "level",
            "2026-03-12 15:40:00+00",
            "70.00",
            "raw",
        ],
        Rejected("jump"),
    ),
    // The other gauge of Foxley is at 240 cm by then, which somebody entered by hand.
    case(
        JUMP,
        [
            "L-132",
            "FOX",
            "level",
            "2026-05-04 08:30:00+00",
            "150.00",
            "raw",
        ],
        Kept,
    ),
    case(
        JUMP,
        [
            "L-132",
            "FOX",
            "level",
            "2026-05-04 09:00:00+00",
            "231.00",
            "raw",
        ],
        Rejected("jump"),
    ),
    // Rain and temperatures may jump.
    case(
        JUMP,
        [
            "R-216",
            "BRK",
            "rain",
            "2026-05-04 08:00:00+00",
            "0.00",
            "raw",
        ],
        Kept,
    ),
    case(
        JUMP,
        [
            "R-216",
            "BRK",
            "rain",
            "2026-05-04 09:00:00+00",
            "49.00",
            "raw",
        ],
        Kept,
    ),
    case(
        TIME,
        ["T-302", "FOX", "temperature", "+10", "9.11", "raw"],
        Kept,
    ),
    case(
        TIME,
        ["T-302", "FOX", "temperature", "+10.5", "9.22", "raw"],
        Rejected("time"),
    ),
    // The first reason that applies.
    case(
        TIME,
        ["T-302", "FOX", "temperature", "+180", "99.33", "raw"],
        Rejected("time"),
    ),
    case(
        RANGE,
        [
            "L-102",
            "BRK",
            "level",
            "2026-05-04 08:00:00+00",
            "409.60",
            "raw",
        ],
        Rejected("range"),
    ),
    case(
        CORRECTED,
        [
            "L-103",
            "CAL",
            "level",
            "2026-05-04 08:00:00+00",
            "950.00",
            "corrected",
        ],
        Kept,
    ),
    case(
        CORRECTED,
        ["T-302", "FOX", "temperature", "+600", "9.44", "corrected"],
        Kept,
    ),
    case(
        CORRECTED,
        [
            "L-110",
            "MIL",
            "level",
            "2026-05-04 08:00:00+00",
            "-20.00",
            "corrected",
        ],
        Kept,
    ),
];
