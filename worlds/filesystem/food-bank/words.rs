//! What the seed decides once for the whole drive, and how things are written on it.

use mcpmark_guest::Random;
use mcpmark_guest::jiff::civil::Date;

/// How a depot writes dates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DateStyle {
    Iso,
    DayFirst,
    MonthFirst,
    Points,
    Words,
}

impl DateStyle {
    pub fn write(self, date: Date) -> String {
        let format = match self {
            Self::Iso => "%Y-%m-%d",
            Self::DayFirst => "%d/%m/%Y",
            Self::MonthFirst => "%m/%d/%Y",
            Self::Points => "%-d.%-m.%Y",
            Self::Words => "%-d %b %Y",
        };
        date.strftime(format).to_string()
    }

    pub fn explain(self) -> &'static str {
        match self {
            Self::Iso => "year-month-day",
            Self::DayFirst => "day first, with slashes",
            Self::MonthFirst => "month first, with slashes (the till came from overseas)",
            Self::Points => "day first, with points",
            Self::Words => "day, short month name, year",
        }
    }
}

/// A depot and its habits.
#[derive(Clone, Debug)]
pub struct Depot {
    pub slug: &'static str,
    pub name: &'static str,
    pub code: &'static str,
    pub dates: DateStyle,
    pub pounds: bool,
    pub crlf: bool,
    pub mark: bool,
}

/// A month's file that has a second version: the month and what the depot says about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovered {
    pub depot: usize,
    pub month: i8,
}

/// What the seed decides once.
#[derive(Clone, Debug)]
pub struct Facts {
    pub depots: Vec<Depot>,
    /// Its recovered file takes the place of the month's file.
    pub replaced: Recovered,
    /// Its recovered file is to be ignored.
    pub ignored: Recovered,
    /// Depot, month and name pattern of stale copies.
    pub stale: Vec<(usize, i8, &'static str)>,
    /// From this day on, the first category counts as the second.
    pub merged: (Date, &'static str, &'static str),
    /// A merger that was put off.
    pub deferred: (&'static str, &'static str),
}

const DEPOTS: [(&str, &str, &str); 5] = [
    ("ashby", "Ashby", "AS"),
    ("colne-bridge", "Colne Bridge", "CB"),
    ("marlow-cross", "Marlow Cross", "MC"),
    ("tarn", "Tarn", "TN"),
    ("wexley", "Wexley", "WX"),
];

impl Facts {
    pub fn choose(random: &mut Random) -> Self {
        let mut styles = [
            DateStyle::Iso,
            DateStyle::DayFirst,
            DateStyle::MonthFirst,
            DateStyle::Points,
            DateStyle::Words,
        ];
        random.shuffle(&mut styles);
        let pounds = random.below(5) as usize;
        let crlf = random.below(5) as usize;
        let mark = random.below(5) as usize;
        let depots = DEPOTS
            .iter()
            .enumerate()
            .map(|(index, (slug, name, code))| Depot {
                slug,
                name,
                code,
                dates: styles[index],
                pounds: index == pounds,
                crlf: index == crlf,
                mark: index == mark,
            })
            .collect();
        let mut months: Vec<(usize, i8)> = (0..5)
            .flat_map(|depot| (4..=6).map(move |month| (depot, month)))
            .collect();
        random.shuffle(&mut months);
        let first = months[0];
        let second = months
            .iter()
            .find(|(depot, _)| *depot != first.0)
            .copied()
            .unwrap_or(first);
        let rest: Vec<(usize, i8)> = months
            .into_iter()
            .filter(|pair| *pair != first && *pair != second)
            .collect();
        let names = [
            "{} (old).csv",
            "Copy of {}.csv",
            "{} FINAL.csv",
            "{}_v2.csv",
        ];
        let mut pairs = [
            ("Chilled", "Fresh"),
            ("Bakery", "Dry goods"),
            ("Baby", "Toiletries"),
        ];
        random.shuffle(&mut pairs);
        let from = *random.pick(&[(5, 1), (5, 15), (6, 1)]);
        Self {
            depots,
            replaced: Recovered {
                depot: first.0,
                month: first.1,
            },
            ignored: Recovered {
                depot: second.0,
                month: second.1,
            },
            stale: rest
                .into_iter()
                .zip(names)
                .map(|((depot, month), name)| (depot, month, name))
                .collect(),
            merged: (day(from.0, from.1), pairs[0].0, pairs[0].1),
            deferred: pairs[1],
        }
    }
}

/// A day of 2025.
pub fn day(month: i8, day: i8) -> Date {
    Date::constant(2025, month, day)
}

/// Tenths as people write them: `12.5`, `12`, and now and then `1,204.5`.
pub fn tenths(value: i64, grouped: bool) -> String {
    let whole = value / 10;
    let whole = if grouped {
        group(whole)
    } else {
        whole.to_string()
    };
    match value % 10 {
        0 => whole,
        rest => format!("{whole}.{rest}"),
    }
}

/// Digits in groups of three.
pub fn group(value: i64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A label in one of the ways in which tired people type it.
pub fn sloppy(random: &mut Random, label: &str) -> String {
    match random.below(10) {
        0 => label.to_uppercase(),
        1 => label.to_lowercase(),
        2 => format!("{label} "),
        3 => format!(" {label}"),
        _ => label.to_owned(),
    }
}

/// Seconds since 1970 at nine in the morning of a day.
pub fn morning(date: Date) -> i64 {
    let days = date
        .since(Date::constant(1970, 1, 1))
        .map_or(0, |span| span.get_days());
    i64::from(days) * 86_400 + 9 * 3600
}
