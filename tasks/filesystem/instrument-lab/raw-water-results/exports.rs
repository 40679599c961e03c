//! The exports of the three instruments as readings.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::numbers;
use mcpmark_guest::rust_decimal::Decimal;

use crate::lab;

/// One amount of a batch.
pub struct Reading {
    /// The label without what means nothing, and without the `D` of a duplicate.
    pub sample: String,
    pub label: String,
    pub kind: String,
    pub dilution: Decimal,
    pub analyte: String,
    /// As the export has it; `None` over the range.
    pub amount: Option<Decimal>,
}

pub struct Batch {
    pub number: String,
    pub started: DateTime,
    pub readings: Vec<Reading>,
}

fn amount(text: &str) -> Option<Decimal> {
    match text {
        "OVR" => None,
        "<LOD" => Some(Decimal::ZERO),
        number => Some(numbers::parse(&number.replace(',', ".")).expect("an amount")),
    }
}

fn reading(
    label: &str,
    kind: &str,
    dilution: &str,
    analyte: &str,
    amount: Option<Decimal>,
) -> Reading {
    let sample = lab::bare(label);
    // LQ240131, and perhaps the D of a duplicate.
    let sample = if kind == "SAMPLE" {
        sample.trim_end_matches('D').to_owned()
    } else {
        sample
    };
    Reading {
        sample,
        label: label.to_owned(),
        kind: kind.to_owned(),
        dilution: numbers::parse(dilution).expect("a dilution"),
        analyte: analyte.to_owned(),
        amount,
    }
}

/// Reads an export of any of the three instruments.
pub fn read_batch(text: &str) -> Batch {
    let field = |words: &str| text.lines().find_map(|line| line.strip_prefix(words));
    if let Some(number) = field("Batch;") {
        let started = lab::utc(lab::time(
            field("Started;").unwrap_or_default(),
            "%d.%m.%Y %H:%M",
        ));
        return Batch {
            number: number.to_owned(),
            started,
            readings: read_metals(text),
        };
    }
    if let Some(number) = field("Batch = ") {
        let (wall, offset) = field("Started = ")
            .and_then(|time| time.split_once('+'))
            .expect("a time with its offset");
        let hours: i64 = offset[..2].parse().expect("an offset");
        let started = lab::time(wall, "%Y-%m-%dT%H:%M").saturating_sub(hours.hours());
        return Batch {
            number: number.to_owned(),
            started,
            readings: read_anions(text),
        };
    }
    Batch {
        number: field("Batch: ").expect("a batch has a number").to_owned(),
        started: lab::time(field("Started: ").unwrap_or_default(), "%Y-%m-%d %H:%M UTC"),
        readings: read_toc(text),
    }
}

fn read_metals(text: &str) -> Vec<Reading> {
    let mut rows = text
        .lines()
        .skip_while(|line| !line.starts_with("Pos;"))
        .map(|line| line.split(';').collect::<Vec<_>>());
    let head = rows.next().expect("a line with the names of the columns");
    let mut readings = Vec::new();
    for cells in rows.take_while(|cells| cells[0] != "End") {
        for (analyte, value) in head.iter().zip(&cells).skip(4) {
            readings.push(reading(
                cells[1],
                cells[2],
                cells[3],
                analyte,
                amount(value),
            ));
        }
    }
    readings
}

fn read_anions(text: &str) -> Vec<Reading> {
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("Pos,"))
        .skip(1);
    rows.take_while(|line| *line != "[End]")
        .map(|line| {
            // Position, label, type; then an analyte that may have a comma; amount and unit.
            let cells: Vec<&str> = line.split(',').collect();
            let last = cells.len() - 2;
            let analyte = cells[3..last].join(",");
            reading(
                cells[1],
                cells[2],
                "1",
                analyte.trim_matches('"'),
                amount(cells[last]),
            )
        })
        .collect()
}

/// The means of the repetitions that are not struck out.
fn read_toc(text: &str) -> Vec<Reading> {
    let lines: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Label\t"))
        .collect();
    let analyte = lines[0].split('\t').nth(4).expect("a column of amounts");
    let rows: Vec<Vec<&str>> = lines[1..]
        .iter()
        .take_while(|line| !line.starts_with("-- "))
        .map(|line| line.split('\t').collect())
        .collect();
    rows.chunks(3)
        .map(|three| {
            let kept: Vec<Decimal> = three
                .iter()
                .filter(|row| row[5] != "x")
                .filter_map(|row| amount(row[4]))
                .collect();
            let count = Decimal::from(kept.len());
            let mean = (!kept.is_empty()).then(|| kept.iter().copied().sum::<Decimal>() / count);
            reading(three[0][0], three[0][1], three[0][2], analyte, mean)
        })
        .collect()
}
