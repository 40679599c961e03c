//! What becomes of each export in the inbox.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::{Csv, Reader, plain};

use crate::lab;

pub const INDEX: &str = "runs/index.csv";
pub const LOG: &str = "logs/filing.csv";

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Writes the start into names and index as the instrument gives it.
    pub keeps_local_time: bool,
    /// Takes an export with a last line for complete without counting.
    pub counts_no_rows: bool,
}

/// The head and the end of an export.
struct Export {
    serial: String,
    batch: String,
    started: DateTime,
    exported: DateTime,
    stated: Option<usize>,
    rows: usize,
}

pub struct Move {
    pub old: String,
    pub new: String,
    pub what: &'static str,
}

pub struct Filing {
    pub moves: Vec<Move>,
    /// Files that stay in the inbox.
    pub staying: Vec<String>,
    pub index: String,
    pub log: String,
}

pub fn file(drive: &mut impl Reader, slips: &Slips) -> Filing {
    let instruments = lab::ini(&drive.text("config/instruments.ini"));
    let mut archive: BTreeMap<String, String> = BTreeMap::new();
    for path in drive.below("runs").into_iter().filter(|path| path != INDEX) {
        let text = drive.raw(&path);
        archive.insert(path, text);
    }
    let mut staying = Vec::new();
    let mut exports: Vec<(String, String, Export, &str)> = Vec::new();
    for path in drive
        .below("inbox")
        .into_iter()
        .filter(|path| !path.starts_with("inbox/done/"))
    {
        let text = drive.raw(&path);
        let ours = read(&text, slips).and_then(|export| {
            let owner = instruments
                .iter()
                .find(|(_, keys)| keys["serial"] == export.serial && keys["status"] != "retired")?;
            Some((export, owner.0.as_str()))
        });
        match ours {
            Some((export, owner)) => exports.push((path, text, export, owner)),
            None => staying.push(path),
        }
    }

    let mut index: Vec<[String; 5]> = Vec::new();
    let mut moves: Vec<Move> = Vec::new();
    for (at, (path, text, export, owner)) in exports.iter().enumerate() {
        let is_copy = archive.values().any(|other| other == text)
            || exports[..at].iter().any(|(_, other, ..)| other == text);
        let what = if is_copy {
            "duplicate"
        } else if !is_complete(export, slips) {
            "incomplete"
        } else if export.batch.starts_with("TEST") {
            "test"
        } else if exports.iter().any(|(_, _, other, _)| {
            other.batch == export.batch
                && is_complete(other, slips)
                && other.exported > export.exported
        }) {
            "superseded"
        } else {
            "filed"
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let new = match what {
            "duplicate" => format!("inbox/done/duplicates/{name}"),
            "filed" => {
                let extension = if *owner == "toc-3" { "txt" } else { "csv" };
                let start = export.started.strftime("%Y%m%d-%H%M");
                let stem = format!("runs/{owner}/{start}_{}", export.batch);
                let plain = format!("{stem}.{extension}");
                if archive.contains_key(&plain) {
                    format!("{stem}_r2.{extension}")
                } else {
                    plain
                }
            }
            other => format!("inbox/done/{other}/{name}"),
        };
        if what == "filed" {
            index.push([
                export.batch.clone(),
                (*owner).to_owned(),
                export.started.strftime("%Y-%m-%dT%H:%MZ").to_string(),
                export.rows.to_string(),
                new.clone(),
            ]);
        }
        moves.push(Move {
            old: path.clone(),
            new,
            what,
        });
    }

    let before = drive.raw(INDEX);
    let table = Csv::strict().read(&before).expect("the index is CSV");
    index.extend(table.rows().iter().map(|row| {
        ["batch", "instrument", "started_utc", "rows", "file"]
            .map(|column| row.get(column).to_owned())
    }));
    index.sort_by(|a, b| (&a[2], &a[4]).cmp(&(&b[2], &b[4])));
    let head = before.lines().next().unwrap_or_default();
    let mut log = drive.raw(LOG);
    for entry in &moves {
        log.push_str(&Csv::line([
            "2024-04-08",
            &entry.old,
            &entry.new,
            entry.what,
        ]));
    }
    Filing {
        index: format!(
            "{head}\n{}",
            index.iter().map(Csv::line).collect::<String>()
        ),
        moves,
        staying,
        log,
    }
}

fn is_complete(export: &Export, slips: &Slips) -> bool {
    match export.stated {
        Some(stated) => slips.counts_no_rows || stated == export.rows,
        None => false,
    }
}

/// Reads an export of any of the three instruments; `None` for what is none.
fn read(text: &str, slips: &Slips) -> Option<Export> {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().collect();
    let field = |words: &str| lines.iter().find_map(|line| line.strip_prefix(words));
    let rows_after = |start: &str, end: &str| {
        let from = lines
            .iter()
            .position(|line| line.starts_with(start))
            .map_or(0, |at| at + 1);
        lines[from..]
            .iter()
            .take_while(|line| !line.starts_with(end))
            .count()
    };
    let number =
        |words: Option<&str>| words.and_then(|words| words.split(' ').next()?.parse().ok());
    if let Some(serial) = field("Instrument;") {
        let at = |words| {
            let wall = lab::time(field(words).unwrap_or_default(), "%d.%m.%Y %H:%M");
            if slips.keeps_local_time {
                wall
            } else {
                lab::utc(wall)
            }
        };
        return Some(Export {
            serial: serial.to_owned(),
            batch: field("Batch;")?.to_owned(),
            started: at("Started;"),
            exported: at("Exported;"),
            stated: number(field("End;")),
            rows: rows_after("Pos;", "End;"),
        });
    }
    if let Some(serial) = field("Serial = ") {
        let at = |words| {
            // 2024-03-05T08:40+01:00
            let (wall, offset) = field(words)
                .unwrap_or_default()
                .split_once('+')
                .expect("a time with its offset");
            let hours: i64 = offset[..2].parse().expect("an offset");
            let hours = if slips.keeps_local_time { 0 } else { hours };
            lab::time(wall, "%Y-%m-%dT%H:%M").saturating_sub(hours.hours())
        };
        return Some(Export {
            serial: serial.to_owned(),
            batch: field("Batch = ")?.to_owned(),
            started: at("Started = "),
            exported: at("Exported = "),
            stated: number(field("Rows = ")),
            rows: rows_after("Pos,", "[End]"),
        });
    }
    let serial = field("Serial: ")?;
    let at = |words| lab::time(field(words).unwrap_or_default(), "%Y-%m-%d %H:%M UTC");
    Some(Export {
        serial: serial.to_owned(),
        batch: field("Batch: ")?.to_owned(),
        started: at("Started: "),
        exported: at("Exported: "),
        stated: number(field("-- ")),
        rows: rows_after("Label\t", "-- "),
    })
}
