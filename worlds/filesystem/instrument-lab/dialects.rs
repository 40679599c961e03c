//! The dialects of the three large instruments.

use mcpmark_guest::Random;

use crate::runs::Batch;
use crate::time::{ahead, at, iso, points, utc_of};

/// A line of a batch, before it is written in a dialect.
struct Line {
    label: String,
    kind: &'static str,
    dilution: i64,
    /// One a column, in hundredths, or what stands in place of a number.
    values: Vec<Result<i64, &'static str>>,
}

/// The file of a batch.
pub fn export(random: &mut Random, batch: &Batch) -> String {
    match batch.group {
        "metals" => metals(random, batch),
        "anions" => anions(random, batch),
        _ => toc(random, batch),
    }
}

/// Digits as the instruments write them: hundredths or tenths, with a point or a comma.
fn number(hundredths: i64, decimals: u32, mark: char) -> String {
    let value = if decimals == 1 {
        hundredths / 10
    } else {
        hundredths
    };
    let base = if decimals == 1 { 10 } else { 100 };
    let sign = if value < 0 { "-" } else { "" };
    let width = decimals as usize;
    format!(
        "{sign}{}{mark}{:0width$}",
        value.abs() / base,
        value.abs() % base
    )
}

/// A sample's label as somebody typed it.
fn typed(random: &mut Random, id: &str) -> String {
    match random.below(12) {
        0 => id.to_lowercase(),
        1 => id.replace('-', ""),
        2 => id.replace('-', " "),
        _ => id.to_owned(),
    }
}

const WAVES: [&str; 5] = [
    "Fe 238.204",
    "Fe 259.940",
    "Mn 257.610",
    "Zn 213.857",
    "Pb 220.353",
];

fn metals(random: &mut Random, batch: &Batch) -> String {
    let mut lines = Vec::new();
    let blank = |random: &mut Random, high: bool| Line {
        label: "BLK".to_owned(),
        kind: "BLANK",
        dilution: 1,
        values: [300, 300, 50, 200, 50]
            .into_iter()
            .enumerate()
            .map(|(index, limit)| {
                let value = random.between(-10, limit * 8 / 10) / 10 * 10;
                // Exactly at the limit is fine, a tenth above is not.
                Ok(if high && index == 3 {
                    limit + 10
                } else if index == 2 {
                    limit.min(value + 30)
                } else {
                    value
                })
            })
            .collect(),
    };
    let check = |random: &mut Random, bad: Option<usize>, edge: Option<usize>| Line {
        label: "QC 50".to_owned(),
        kind: "QC",
        dilution: 1,
        values: (0..5)
            .map(|index| {
                let value = random.between(4_620, 5_380) / 10 * 10;
                Ok(if bad == Some(index) {
                    5_510
                } else if edge == Some(index) {
                    4_500
                } else {
                    value
                })
            })
            .collect(),
    };
    let serial = batch.number.as_str();
    lines.push(blank(random, serial == "ICP-0235"));
    lines.push(check(random, None, (serial == "ICP-0231").then_some(4)));
    for (index, id) in batch.samples.iter().enumerate() {
        let dilution = *random.weighted(&[(1, 6), (5, 2), (10, 2)]);
        let mut values: Vec<Result<i64, &'static str>> = Vec::new();
        for (low, high) in [(30, 700), (30, 700), (8, 150), (40, 4_000), (2, 30)] {
            let value = random.between(low * 100, high * 100) / dilution / 10 * 10;
            values.push(match random.below(28) {
                0 => Err("<LOD"),
                1 => Err("OVR"),
                2 | 3 => Ok(random.between(10, low * 10) / 10 * 10),
                4..=12 => Ok(value / 9 / 10 * 10),
                _ => Ok(value),
            });
        }
        let label = typed(random, id);
        let line = Line {
            label: label.clone(),
            kind: "SAMPLE",
            dilution,
            values,
        };
        if index % 5 == 2 {
            let mut again = Line {
                label: format!("{label} D"),
                kind: "SAMPLE",
                dilution,
                values: line.values.clone(),
            };
            let spread = if random.chance(1, 3) { 26 } else { 8 };
            for value in again.values.iter_mut().flatten() {
                *value += *value * random.between(-spread, spread) / 100 / 10 * 10;
            }
            lines.push(line);
            lines.push(again);
        } else {
            lines.push(line);
        }
    }
    lines.push(check(random, (serial == "ICP-0233").then_some(0), None));
    let mut text = format!(
        "\u{feff}Instrument;HX-20417\nBatch;{}\nOperator;{}\nStarted;{}\nExported;{}\nUnit;µg/L\n\nPos;Label;Type;Dilution;{}\n",
        batch.number,
        batch.operator,
        points(batch.started),
        points(batch.exported()),
        WAVES.join(";")
    );
    for (index, line) in lines.iter().enumerate() {
        let values: Vec<String> = line
            .values
            .iter()
            .map(|value| value.map_or_else(str::to_owned, |value| number(value, 1, ',')))
            .collect();
        text.push_str(&format!(
            "{};{};{};{};{}\n",
            index + 1,
            line.label,
            line.kind,
            line.dilution,
            values.join(";")
        ));
    }
    text.push_str(&format!("End;{}\n", lines.len()));
    text.replace('\n', "\r\n")
}

fn anions(random: &mut Random, batch: &Batch) -> String {
    let is_old = batch.started < at(3, 14, 0, 0);
    let is_new = batch.started >= at(3, 26, 0, 0);
    let nitrate = match (is_old, is_new) {
        // The old firmware does not quote.
        (true, _) => "Nitrate, as N",
        (_, true) => "Nitrate",
        _ => "\"Nitrate, as N\"",
    };
    let mut rows: Vec<(String, &str, &str, String)> = Vec::new();
    let check =
        |random: &mut Random, rows: &mut Vec<(String, &str, &'static str, String)>, last: bool| {
            for analyte in ["Chloride", "N", "Sulfate"] {
                let bad = last && batch.number == "IC-0121" && analyte == "N";
                let value = if bad {
                    1_799
                } else {
                    random.between(1_850, 2_150)
                };
                rows.push(("QC 20".to_owned(), "QC", analyte, number(value, 2, '.')));
            }
        };
    for analyte in ["Chloride", "N", "Sulfate"] {
        let high = batch.number == "IC-0124" && analyte == "Chloride";
        let value = if high { 21 } else { random.between(0, 9) };
        rows.push(("BLK".to_owned(), "BLANK", analyte, number(value, 2, '.')));
    }
    check(random, &mut rows, false);
    for (index, id) in batch.samples.iter().enumerate() {
        let label = typed(random, id);
        let mut labels = vec![label.clone()];
        if index % 6 == 1 {
            labels.push(format!("{label} D"));
        }
        let top = if is_new { 6_500 } else { 1_500 };
        let found = [
            random.between(40, 32_000),
            random.between(5, top),
            random.between(100, 9_000),
        ];
        let is_low = random.chance(1, 8);
        for (copy, label) in labels.iter().enumerate() {
            for (analyte, value) in ["Chloride", "N", "Sulfate"].into_iter().zip(found) {
                let spread = if random.chance(1, 4) { 24 } else { 6 };
                let value = if copy == 1 {
                    value + value * random.between(-spread, spread) / 100
                } else {
                    value
                };
                let text = match random.below(30) {
                    0 => "OVR".to_owned(),
                    1 => "<LOD".to_owned(),
                    _ if is_low => number(value % 40, 2, '.'),
                    _ => number(value, 2, '.'),
                };
                rows.push((label.clone(), "SAMPLE", analyte, text));
            }
        }
    }
    check(random, &mut rows, true);
    let mut text = format!(
        "[Run]\nSerial = KD-7731\nBatch = {}\nOperator = {}\nStarted = {}+0{}:00\nExported = {}+0{}:00\nFirmware = {}\n\n[Data]\n\
         Pos,Label,Type,Analyte,Amount,Unit\n",
        batch.number,
        batch.operator,
        iso(batch.started),
        ahead(batch.started),
        iso(batch.exported()),
        ahead(batch.exported()),
        if is_old { "2.1" } else { "3.0" }
    );
    for (index, (label, kind, analyte, value)) in rows.iter().enumerate() {
        let analyte = if *analyte == "N" { nitrate } else { analyte };
        text.push_str(&format!(
            "{},{label},{kind},{analyte},{value},mg/L\n",
            index + 1
        ));
    }
    text.push_str(&format!("[End]\nRows = {}\n", rows.len()));
    text
}

fn toc(random: &mut Random, batch: &Batch) -> String {
    let started = utc_of(batch.started);
    let mut text = format!(
        "TOC analyser\nSerial: T3-0088\nBatch: {}\nOperator: {}\nStarted: {} UTC\nExported: {} UTC\n\nLabel\tType\tDilution\tRep\tNPOC mg/L\tMark\n",
        batch.number,
        batch.operator,
        started.strftime("%Y-%m-%d %H:%M"),
        utc_of(batch.exported()).strftime("%Y-%m-%d %H:%M"),
    );
    let mut count = 0;
    let mut add =
        |random: &mut Random, label: &str, kind: &str, dilution: i64, middle: i64, marks: bool| {
            for repetition in 1..=3 {
                let struck = marks && (repetition == 2 && random.chance(1, 4));
                let value = middle
                    + middle * random.between(-3, 3) / 100
                    + if struck {
                        middle / 2
                    } else {
                        random.between(0, 2)
                    };
                let mark = if struck { "x" } else { "" };
                text.push_str(&format!(
                    "{label}\t{kind}\t{dilution}\t{repetition}\t{}\t{mark}\n",
                    number(value, 2, '.')
                ));
                count += 1;
            }
        };
    let middle = random.between(2, 24);
    add(random, "BLK", "BLANK", 1, middle, false);
    add(random, "QC 10", "QC", 1, 1_004, true);
    for id in &batch.samples {
        let label = typed(random, id);
        let dilution = *random.weighted(&[(1, 4), (2, 2), (5, 1)]);
        let middle = if random.chance(1, 7) {
            random.between(10, 60)
        } else {
            random.between(90, 1_150)
        } / dilution;
        add(random, &label, "SAMPLE", dilution, middle, true);
    }
    let last = if batch.number == "TOC-0073" {
        1_130
    } else {
        985
    };
    add(random, "QC 10", "QC", 1, last, false);
    text.push_str(&format!("-- {count} lines --\n"));
    text
}
