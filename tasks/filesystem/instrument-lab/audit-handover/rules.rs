//! What is handed over, and under which codes.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::serde_json::{self, Value, json};
use mcpmark_guest::{Csv, Reader};

use crate::lab;

pub const MANIFEST: &str = "handover/manifest.json";
pub const KEY: &str = "registers/handover key 2024-04-08.csv";

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Finds names inside longer words too.
    pub matches_inside_words: bool,
    /// Hands over what belongs to clients that have not agreed.
    pub ignores_refusals: bool,
}

/// One batch as it is handed over.
pub struct Part {
    pub batch: String,
    pub data: String,
    pub log: String,
}

pub struct Handover {
    pub parts: Vec<Part>,
    pub manifest: Value,
    pub key: String,
}

impl Handover {
    /// The manifest with two blanks a level and an LF at its end.
    pub fn manifest_text(&self) -> String {
        serde_json::to_string_pretty(&self.manifest).expect("a value is JSON") + "\n"
    }

    /// All files with their texts.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for part in &self.parts {
            files.push((
                format!("handover/{}/data.csv", part.batch),
                part.data.clone(),
            ));
            files.push((format!("handover/{}/log.txt", part.batch), part.log.clone()));
        }
        files.push((MANIFEST.to_owned(), self.manifest_text()));
        files.push((KEY.to_owned(), self.key.clone()));
        files
    }
}

/// A name that is looked for, and what takes its place.
struct Term {
    name: String,
    becomes: String,
}

struct Export {
    batch: String,
    operator: String,
    started: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Names, and who has not agreed.
struct People {
    staff: Vec<(String, String)>,
    terms: Vec<Term>,
    refused: Vec<Term>,
    /// Samples of clients that have not agreed.
    kept_back: BTreeSet<String>,
}

pub fn handover(drive: &mut impl Reader, slips: &Slips) -> Handover {
    let mut people = read_people(drive);
    if slips.ignores_refusals {
        people.refused.clear();
        people.kept_back.clear();
    }
    let mut exports = Vec::new();
    for name in drive.names("runs/icp-1") {
        exports.extend(read_export(&drive.text(&format!("runs/icp-1/{name}"))));
    }
    exports.sort_by(|a, b| a.batch.cmp(&b.batch));
    let mut entries: Vec<String> = Vec::new();
    for name in drive.names("logs/bench") {
        for line in drive.text(&format!("logs/bench/{name}")).lines() {
            match entries.last_mut() {
                Some(entry) if line.starts_with("  ") => entry.push_str(line),
                _ => entries.push(line.to_owned()),
            }
            entries.last_mut().expect("there is one now").push('\n');
        }
    }

    // First what is handed over at all, then the codes of the samples in it.
    let mut chosen: Vec<(Export, usize, Vec<String>, usize)> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for mut export in exports {
        let all = export.rows.len();
        export
            .rows
            .retain(|row| !is_sample(row) || !people.kept_back.contains(&identifier(&row[1])));
        let left_out = all - export.rows.len();
        seen.extend(
            export
                .rows
                .iter()
                .filter(|row| is_sample(row))
                .map(|row| identifier(&row[1])),
        );
        let own: Vec<&String> = entries
            .iter()
            .filter(|entry| has(entry, &export.batch))
            .collect();
        let kept: Vec<String> = own
            .iter()
            .filter(|entry| {
                let names_refuser = people.refused.iter().any(|term| has(entry, &term.name));
                !names_refuser
                    && !samples_in(entry)
                        .iter()
                        .any(|sample| people.kept_back.contains(sample))
            })
            .map(|entry| (*entry).clone())
            .collect();
        seen.extend(kept.iter().flat_map(|entry| samples_in(entry)));
        let silent = own.len() - kept.len();
        chosen.push((export, left_out, kept, silent));
    }
    let codes: BTreeMap<String, String> = seen
        .into_iter()
        .enumerate()
        .map(|(index, sample)| (sample, format!("X{:03}", index + 1)))
        .collect();
    for (sample, code) in &codes {
        people.terms.push(Term {
            name: sample.clone(),
            becomes: code.clone(),
        });
    }
    people
        .terms
        .sort_by_key(|term| std::cmp::Reverse(term.name.chars().count()));

    let mut parts = Vec::new();
    let mut manifest = Vec::new();
    for (export, left_out, kept, silent) in chosen {
        let operator = people
            .staff
            .iter()
            .position(|(initials, _)| *initials == export.operator)
            .map(|index| format!("P{}", index + 1))
            .expect("the operator is listed");
        manifest.push(json!({
            "batch": export.batch,
            "started": export.started,
            "operator": operator,
            "rows": export.rows.len(),
            "rows_left_out": left_out,
            "entries": kept.len(),
            "entries_left_out": silent,
        }));
        parts.push(Part {
            data: data(&export, &codes),
            log: kept
                .iter()
                .map(|entry| redact(entry, &people.terms, slips))
                .collect(),
            batch: export.batch,
        });
    }
    let mut key = String::from("code,original\n");
    for (sample, code) in &codes {
        key.push_str(&Csv::line([code, sample]));
    }
    for (index, (_, name)) in people.staff.iter().enumerate() {
        key.push_str(&Csv::line([format!("P{}", index + 1).as_str(), name]));
    }
    Handover {
        parts,
        manifest: Value::Array(manifest),
        key,
    }
}

fn is_sample(row: &[String]) -> bool {
    row[2] == "SAMPLE"
}

/// `lq24 0131 D` as `LQ24-0131`.
fn identifier(label: &str) -> String {
    let bare = lab::bare(label);
    format!("{}-{}", &bare[..4], &bare[4..8])
}

fn data(export: &Export, codes: &BTreeMap<String, String>) -> String {
    let mut head: Vec<&str> = vec!["position", "sample", "type", "dilution"];
    head.extend(export.columns.iter().map(String::as_str));
    let mut text = Csv::line(head);
    for row in &export.rows {
        let mut cells = row.clone();
        if is_sample(row) {
            let half = if lab::bare(&row[1]).ends_with('D') {
                " D"
            } else {
                ""
            };
            cells[1] = format!("{}{half}", codes[&identifier(&row[1])]);
        }
        for amount in &mut cells[4..] {
            *amount = amount.replace(',', ".");
        }
        text.push_str(&Csv::line(&cells));
    }
    text
}

/// Whether a name stands somewhere in a text as a whole word.
fn has(text: &str, name: &str) -> bool {
    text.match_indices(name)
        .any(|(at, _)| is_whole(text, at, name))
}

/// Whether no letter and no digit touches a name at a place.
fn is_whole(text: &str, at: usize, name: &str) -> bool {
    let touches = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    !touches(text[..at].chars().next_back()) && !touches(text[at + name.len()..].chars().next())
}

/// All samples that a text names.
fn samples_in(text: &str) -> Vec<String> {
    let found = text
        .match_indices("LQ24-")
        .filter_map(|(at, _)| text.get(at..at + 9));
    found.map(str::to_owned).collect()
}

/// Puts codes in the place of names; `terms` are sorted by length, longest first.
fn redact(text: &str, terms: &[Term], slips: &Slips) -> String {
    let mut result = String::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let found = terms.iter().find(|term| {
            text[at..].starts_with(&term.name)
                && (slips.matches_inside_words || is_whole(text, at, &term.name))
        });
        match found {
            Some(term) => {
                result.push_str(&term.becomes);
                at += term.name.len();
            }
            None => {
                result.push(next);
                at += next.len_utf8();
            }
        }
    }
    result
}

fn read_people(drive: &mut impl Reader) -> People {
    let mut terms = Vec::new();
    let mut add = |name: &str, becomes: &str| {
        terms.push(Term {
            name: name.to_owned(),
            becomes: becomes.to_owned(),
        });
    };
    let staff = Csv::strict()
        .read(drive.text("registers/staff.csv"))
        .expect("staff is CSV");
    for (index, row) in staff.rows().iter().enumerate() {
        let code = format!("P{}", index + 1);
        let name = row.get("name");
        let (first, last) = name.split_once(' ').expect("two names");
        for name in [name, first, last] {
            add(name, &code);
        }
        add(&format!("[{}]", row.get("initials")), &format!("[{code}]"));
    }
    let clients: Value = serde_json::from_str(&drive.text("registers/clients.json")).expect("JSON");
    let mut refused = Vec::new();
    let mut refusing = BTreeSet::new();
    for client in clients.as_array().expect("an array") {
        let text = |key: &str| client[key].as_str().expect("a text").to_owned();
        let code = text("client");
        let mut names = vec![(text("name"), code.clone())];
        for also in client["also"].as_array().expect("an array") {
            names.push((also.as_str().expect("a text").to_owned(), code.clone()));
        }
        for (key, becomes) in [
            ("contact", "[contact]"),
            ("mail", "[mail]"),
            ("phone", "[phone]"),
        ] {
            names.push((text(key), becomes.to_owned()));
        }
        if client["audit"] == false {
            refusing.insert(code);
            refused.extend(names.iter().map(|(name, _)| Term {
                name: name.clone(),
                becomes: String::new(),
            }));
        }
        for (name, becomes) in names {
            add(&name, &becomes);
        }
    }
    let sites = Csv::strict()
        .read(drive.text("registers/sites.csv"))
        .expect("sites are CSV");
    for row in sites.rows() {
        add(row.get("name"), row.get("name"));
    }
    let register = drive.text("registers/samples.csv");
    let register = Csv::strict()
        .separator(b';')
        .read(&register)
        .expect("the register is CSV");
    let kept_back = register
        .rows()
        .iter()
        .filter(|row| refusing.contains(row.get("client")))
        .map(|row| row.get("sample").to_owned())
        .collect();
    let staff = staff
        .rows()
        .iter()
        .map(|row| (row.get("initials").to_owned(), row.get("name").to_owned()))
        .collect();
    People {
        staff,
        terms,
        refused,
        kept_back,
    }
}

/// An export of March; `None` for one of another month.
fn read_export(text: &str) -> Option<Export> {
    let field = |words: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(words))
            .unwrap_or_default()
    };
    let wall = lab::time(field("Started;"), "%d.%m.%Y %H:%M");
    if (wall.year(), wall.month()) != (2024, 3) {
        return None;
    }
    let cells = |line: &str| line.split(';').map(str::to_owned).collect::<Vec<String>>();
    let mut rows = text
        .lines()
        .skip_while(|line| !line.starts_with("Pos;"))
        .map(cells);
    let columns = rows.next()?.split_off(4);
    Some(Export {
        batch: field("Batch;").to_owned(),
        operator: field("Operator;").to_owned(),
        started: lab::utc(wall).strftime("%Y-%m-%dT%H:%MZ").to_string(),
        columns,
        rows: rows.take_while(|cells| cells[0] != "End").collect(),
    })
}
