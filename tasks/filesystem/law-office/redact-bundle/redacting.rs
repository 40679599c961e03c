//! The bundle of a case: which documents are copied, what is taken out of them, the log of that.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Csv, Reader};

use crate::office;
use crate::rules::{self, Form};

pub const CASE: &str = "02 Matters/2025-017 Okonjo v Brightwater";
pub const LOG: &str = "02 Matters/2025-017 Okonjo v Brightwater/disclosure/redaction log.csv";
pub const HEADER: [&str; 3] = ["doc", "tag", "count"];
const TAGS: [&str; 5] = ["PRIVILEGED", "ACCOUNT", "E-MAIL", "TELEPHONE", "BORN"];

/// Which rules of the guide are followed.
#[derive(Clone, Copy)]
pub struct Choices {
    /// The lowest line of a document holds, not the first.
    pub lowest_line_holds: bool,
    /// Streets and the like keep their names.
    pub keep_phrases: bool,
}

impl Choices {
    pub const ALL: Self = Self {
        lowest_line_holds: true,
        keep_phrases: true,
    };
}

pub struct Bundle {
    /// Path and content of each copy.
    pub copies: Vec<(String, String)>,
    /// The rows of the log.
    pub log: Vec<[String; 3]>,
}

pub fn redact(drive: &mut impl Reader, choices: Choices) -> Bundle {
    drive.text("00 Office/redaction guide.md");
    let forms = forms(drive, choices);
    let mut documents: BTreeMap<String, [String; 3]> = BTreeMap::new();
    let list = office::table(&drive.text(&format!("{CASE}/disclosure list.csv")));
    for row in list.rows() {
        let cells = ["path", "treatment", "privileged"].map(|name| row.get(name).to_owned());
        let number = row.get("doc").to_owned();
        if choices.lowest_line_holds || !documents.contains_key(&number) {
            documents.insert(number, cells);
        }
    }

    let mut bundle = Bundle {
        copies: Vec::new(),
        log: Vec::new(),
    };
    let of_people = forms.iter().filter_map(|(_, tag)| tag.as_deref());
    let of_people = of_people.map(|tag| tag.trim_matches(['[', ']']));
    let tags: BTreeSet<&str> = TAGS.into_iter().chain(of_people).collect();
    for (number, [path, treatment, privileged]) in documents {
        if treatment == "withhold" {
            bundle.log.push([number, "withheld".into(), "0".into()]);
            continue;
        }
        let text = drive.text(&format!("{CASE}/{path}"));
        let text = rules::privilege(&text, &privileged);
        let text = rules::accounts(&text);
        let text = rules::addresses(&text);
        let text = rules::telephones(&text);
        let text = rules::births(&text);
        let text = rules::people(&text, &forms);
        let before = bundle.log.len();
        for tag in &tags {
            let count = text.matches(&format!("[{tag}]")).count();
            if count > 0 {
                let cells = [number.clone(), (*tag).to_owned(), count.to_string()];
                bundle.log.push(cells);
            }
        }
        if bundle.log.len() == before {
            bundle.log.push([number.clone(), "none".into(), "0".into()]);
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        bundle
            .copies
            .push((format!("{CASE}/disclosure/{number} {name}"), text));
    }
    bundle
}

impl Bundle {
    pub fn log_text(&self) -> String {
        std::iter::once(Csv::line(HEADER))
            .chain(self.log.iter().map(Csv::line))
            .collect()
    }
}

fn forms(drive: &mut impl Reader, choices: Choices) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let people = office::table(&drive.text(&format!("{CASE}/people.csv")));
    for row in people
        .rows()
        .iter()
        .filter(|row| row.get("treatment") == "hide")
    {
        let tag = format!("[PERSON {}]", row.get("no"));
        let names = office::list(row.get("written_as"));
        for name in names.into_iter().chain([row.get("name").to_owned()]) {
            forms.push((name, Some(tag.clone())));
        }
    }
    let phrases = drive.text(&format!("{CASE}/phrases to keep.txt"));
    if choices.keep_phrases {
        forms.extend(phrases.lines().map(|line| (line.to_owned(), None)));
    }
    forms
}
