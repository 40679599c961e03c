//! Where each file of the handover goes.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Csv, Reader};

use crate::office;
use crate::paper::{self, Paper};

pub const PLACE: &str = "02 Matters/TK handover";
pub const INDEX: &str = "02 Matters/TK handover/index.csv";
pub const HEADER: [&str; 5] = ["old", "new", "matter", "kind", "date"];

/// Which rules of the plan are followed.
#[derive(Clone, Copy)]
pub struct Rules {
    /// The day of an e-mail is the one in London.
    pub london_days: bool,
    /// A paper that is in the case folder already is a duplicate.
    pub look_into_case_folders: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        london_days: true,
        look_into_case_folders: true,
    };
}

/// One move, as the index tells it.
pub struct Move {
    /// From the handover folder.
    pub old: String,
    /// From the top of the drive.
    pub new: String,
    matter: String,
    kind: String,
    date: String,
}

impl Move {
    pub fn row(&self) -> [String; 5] {
        [&self.old, &self.new, &self.matter, &self.kind, &self.date].map(Clone::clone)
    }
}

/// All moves, sorted by the old path.
pub fn plan(drive: &mut impl Reader, rules: Rules) -> Vec<Move> {
    drive.text("00 Office/conventions.md");
    let kinds = paper::kinds(&drive.text("00 Office/filing plan.md"));
    let staff = office::table(&drive.text("00 Office/staff.csv"));
    let names = staff.rows().iter().map(|row| row.get("name").to_owned());
    let ours: BTreeSet<String> = names.chain(["Tolliver Ashe".to_owned()]).collect();
    let matters = office::register(&drive.text("02 Matters/register.csv"));
    let notes = drive.text(&format!("{PLACE}/handover notes.md"));
    let wrong: BTreeMap<String, String> = office::markdown_rows(&notes)
        .into_iter()
        .map(|cells| (cells[0].clone(), cells[1].clone()))
        .collect();
    let folders = drive.folders("02 Matters");

    let mut moves: Vec<Move> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut filed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let paths = drive.below(PLACE);
    let texts = drive.raw_all(&paths);
    for (path, text) in paths.iter().zip(texts) {
        let old = path
            .strip_prefix(PLACE)
            .map_or(path.as_str(), |rest| rest.trim_start_matches('/'))
            .to_owned();
        let told = if rules.london_days {
            text.clone()
        } else {
            without_offsets(&text)
        };
        let Some(paper) = Paper::read(&told, &kinds, &ours) else {
            continue;
        };
        let matter = paper.matter(&matters, &wrong);
        let case = matter.as_ref().map(|number| {
            let matter = &matters[number];
            let number = number.replace('/', "-");
            let is_of_matter = |folder: &&String| folder.starts_with(&format!("{number} "));
            match folders.iter().find(is_of_matter) {
                _ if !matter.is_open() => format!("02 Matters/archive/late papers/{number}"),
                Some(folder) => format!("02 Matters/{folder}"),
                None => format!("02 Matters/{number} {}", matter.title),
            }
        });
        if let Some(folder) = &case {
            let stands = || folders.iter().any(|name| folder.ends_with(name.as_str()));
            if !filed.contains_key(folder) {
                let paths = if stands() {
                    drive.below(folder)
                } else {
                    Vec::new()
                };
                let mut texts = drive.raw_all(&paths);
                if !rules.look_into_case_folders {
                    texts.clear();
                }
                filed.insert(folder.clone(), texts.into_iter().collect());
                taken.extend(paths);
            }
        }
        let is_filed = case
            .as_ref()
            .is_some_and(|folder| filed[folder].contains(&text));
        if !seen.insert(text) || is_filed {
            moves.push(Move {
                new: format!("{PLACE}/duplicates/{}", old.replace('/', " - ")),
                old,
                matter: String::new(),
                kind: "duplicate".into(),
                date: String::new(),
            });
            continue;
        }
        let is_open = matter
            .as_ref()
            .is_some_and(|number| matters[number].is_open());
        let mut folder = match case {
            Some(case) if is_open => format!("{case}/{}", paper.folder),
            Some(case) => case,
            None => format!("{PLACE}/unidentified"),
        };
        if paper.draft().is_some() {
            folder += "/drafts";
        }
        let ending = old.rsplit('.').next().unwrap_or_default().to_lowercase();
        let stem = paper.stem();
        let mut new = format!("{folder}/{stem}.{ending}");
        let mut number = 2;
        while !taken.insert(new.clone()) {
            new = format!("{folder}/{stem} ({number}).{ending}");
            number += 1;
        }
        moves.push(Move {
            old,
            new,
            matter: matter.unwrap_or_default(),
            kind: paper.kind.clone(),
            date: paper.date.clone().unwrap_or_default(),
        });
    }
    moves
}

pub fn index(moves: &[Move]) -> String {
    std::iter::once(Csv::line(HEADER))
        .chain(moves.iter().map(|moved| Csv::line(moved.row())))
        .collect()
}

/// The text as somebody reads it who takes the day of an e-mail as it is written.
fn without_offsets(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("Sent: ") {
        Some(moment) => format!("Date: {}\n", &moment[..10]),
        None => format!("{line}\n"),
    });
    lines.collect()
}
