//! How the solution files. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Tools, serde_json::json};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Of equal files the one without a number in its name is kept.
    pub keeps_the_plain_name: bool,
    /// Papers without a date get the day of filing.
    pub dates_by_today: bool,
}

/// What a reader takes from a paper.
struct Reading {
    kind: &'static str,
    party: &'static str,
    /// ISO; `None` where the paper does not say.
    date: Option<&'static str>,
    number: Option<&'static str>,
}

/// Reads a paper by a phrase that is in it. `None` for papers that are of no kind.
fn read(paper: &str) -> Option<Reading> {
    let reading = |kind, party, date, number| {
        Some(Reading {
            kind,
            party,
            date,
            number,
        })
    };
    let has = |phrase: &str| paper.contains(phrase);
    if has("RG/2291") {
        reading(
            "invoice",
            "Ridley & Sons Generators",
            Some("2025-05-28"),
            Some("RG/2291"),
        )
    } else if has("Invoice no. 448") && has("Date 03/06/2025") {
        reading(
            "invoice",
            "Dunnock's Marquees",
            Some("2025-06-03"),
            Some("448"),
        )
    } else if has("Invoice no. 448") {
        reading(
            "invoice",
            "Dunnock's Marquees",
            Some("2025-06-10"),
            Some("448"),
        )
    } else if has("CREDIT NOTE CN/77") {
        reading(
            "credit",
            "Møller Sanitary Hire",
            Some("2025-06-09"),
            Some("CN/77"),
        )
    } else if has("WPW-0583") {
        reading(
            "invoice",
            "Wath Print Works",
            Some("2024-12-12"),
            Some("WPW-0583"),
        )
    } else if has("technical rider, act A01") {
        reading("rider", "Łódka & Friends", None, None)
    } else if has("Constance Airey, clerk") {
        reading(
            "letter",
            "Hollin Beck Parish Council",
            Some("2025-06-06"),
            None,
        )
    } else if has("Sunita Vail <s.vail@post.example>") {
        reading("letter", "Sunita Vail", Some("2025-06-08"), None)
    } else if has("Aurélie Nkemba") {
        reading("form", "Aurélie Nkemba", Some("2025-06-01"), None)
    } else if has("Piet Oosthuis") {
        reading("form", "Piet Oosthuis", None, None)
    } else if has("QUOTATION, 22 April 2025") {
        reading("letter", "Dunnock's Marquees", Some("2025-04-22"), None)
    } else if has("ESKMERE DISTRICT LICENSING") {
        reading(
            "letter",
            "Eskmere District Licensing",
            Some("2025-06-04"),
            None,
        )
    } else {
        None
    }
}

pub fn file(tools: &mut Tools, oversights: &Oversights) -> String {
    tools.read_text("00 Office/conventions.md");
    tools.read_text("00 Office/how we file.md");
    let log = tools.read_text("00 Office/filing log.csv");
    let mut names: Vec<String> = tools
        .list("Inbox")
        .into_iter()
        .filter(|(name, is_directory)| {
            !is_directory && !name.starts_with('.') && name != "about this folder.txt"
        })
        .map(|(name, _)| name)
        .collect();
    names.sort_by_key(|name| {
        (
            oversights.keeps_the_plain_name && name.contains('('),
            name.clone(),
        )
    });

    let mut papers = Vec::new();
    let mut duplicates = Vec::new();
    let mut seen = BTreeSet::new();
    let mut filed_before: BTreeMap<String, String> = BTreeMap::new();
    for name in names {
        let text = tools.read_text(&format!("Inbox/{name}"));
        let Some(reading) = read(&text) else { continue };
        if !seen.insert(text.clone()) {
            duplicates.push(name);
            continue;
        }
        let date = match reading.date {
            Some(date) => date.to_owned(),
            None if oversights.dates_by_today => "2025-06-20".to_owned(),
            None => {
                modified_on(&tools.text("get_file_info", &json!({"path": format!("Inbox/{name}")})))
            }
        };
        let folder = folder(reading.kind, &date[..4]);
        let filed = filed_before
            .entry(folder.clone())
            .or_insert_with(|| read_folder(tools, &folder));
        if filed.contains(&text) {
            duplicates.push(name);
        } else {
            papers.push((name, date, folder, reading));
        }
    }

    let mut moves: BTreeMap<String, (String, &str)> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (name, date, folder, reading) in &papers {
        let is_superseded = reading.kind == "invoice"
            && papers.iter().any(|(_, later, _, other)| {
                other.party == reading.party && other.number == reading.number && later > date
            });
        let folder = if is_superseded {
            format!("{folder}/superseded")
        } else {
            folder.clone()
        };
        let number = reading.number.map_or_else(String::new, |number| {
            format!("_{}", number.replace('/', "-"))
        });
        let stem = format!(
            "{folder}/{date}_{}_{}{number}",
            slug(reading.party),
            reading.kind
        );
        let path = if taken.insert(stem.clone()) {
            format!("{stem}.txt")
        } else {
            format!("{stem}_2.txt")
        };
        moves.insert(
            name.clone(),
            (
                path,
                if is_superseded {
                    "superseded"
                } else {
                    reading.kind
                },
            ),
        );
    }
    for name in duplicates {
        moves.insert(
            name.clone(),
            (format!("Inbox/duplicates/{name}"), "duplicate"),
        );
    }

    tools.text(
        "create_directory",
        &json!({"path": "02 Money/2025/invoices/superseded"}),
    );
    let mut lines = String::new();
    for (name, (path, kind)) in &moves {
        tools.text(
            "move_file",
            &json!({"source": format!("Inbox/{name}"), "destination": path}),
        );
        let quote = if name.contains(',') { "\"" } else { "" };
        lines += &format!("2025-06-20,{quote}{name}{quote},{path},{kind}\n");
    }
    tools.text(
        "write_file",
        &json!({"path": "00 Office/filing log.csv", "content": log + &lines}),
    );
    format!("{} papers are filed.", moves.len())
}

fn folder(kind: &str, year: &str) -> String {
    match kind {
        "invoice" | "credit" => format!("02 Money/{year}/invoices"),
        "rider" => "01 Programme/riders".to_owned(),
        "form" => "03 Volunteers/forms".to_owned(),
        _ => format!("05 Correspondence/{year}"),
    }
}

/// The content of all files in a folder, one after the other.
fn read_folder(tools: &mut Tools, folder: &str) -> String {
    let files = tools
        .list(folder)
        .into_iter()
        .filter(|(_, is_directory)| !is_directory);
    let paths: Vec<String> = files.map(|(name, _)| format!("{folder}/{name}")).collect();
    if paths.is_empty() {
        return String::new();
    }
    tools.text("read_multiple_files", &json!({"paths": paths}))
}

/// The day in `modified: Thu Jun 05 2025 22:40:00 GMT+0000 (…)`, as ISO.
fn modified_on(info: &str) -> String {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("modified: "))
        .expect("file information has a time");
    let parts: Vec<&str> = line.split(' ').collect();
    let month = MONTHS.find(parts[1]).expect("a month in English") / 3 + 1;
    format!("{}-{month:02}-{}", parts[3], parts[2])
}

fn slug(party: &str) -> String {
    let mut slug = String::new();
    for character in party.to_lowercase().chars() {
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            'é' => slug.push('e'),
            'ø' | 'ó' => slug.push('o'),
            'ł' => slug.push('l'),
            '&' => slug += "and",
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_matches('-').to_owned()
}
