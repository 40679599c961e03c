//! Which records are one person, and what is left of them.

use std::collections::BTreeMap;

use mcpmark_guest::{Csv, Reader, Row};

use crate::library::{Files, MEMBERS, QUEUE, day_first, table};

pub const MERGED: &str = "Members/merged.csv";
pub const HEADER: [&str; 4] = ["old", "kept", "name", "reservations"];

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub overlooks_the_known: bool,
    pub news_of_the_kept: bool,
}

pub struct Merge {
    pub rows: Vec<[String; 4]>,
    pub members: String,
    /// The queue with its CRLF.
    pub queue: String,
}

pub fn merge(desk: &mut impl Reader, slips: Slips) -> Merge {
    let text = desk.text(MEMBERS);
    let members = table(&text, b',');
    let (same, different) = known(&desk.text("Members/doubles.md"), slips);
    let queue = desk.text(QUEUE);

    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut kept_of: BTreeMap<String, String> = BTreeMap::new();
    for (at, row) in members.rows().iter().enumerate() {
        let number = row.get("member");
        let told = same.iter().find(|(later, _)| later == number);
        let double = members.rows()[..at].iter().find(|first| {
            told.is_some_and(|(_, earlier)| earlier == first.get("member"))
                || (!row.get("born").is_empty()
                    && row.get("born") == first.get("born")
                    && loose(row.get("name")) == loose(first.get("name"))
                    && !different.contains(&(number.to_owned(), first.get("member").to_owned())))
        });
        let kept = double.map_or(number, |first| first.get("member"));
        let kept = kept_of
            .get(kept)
            .cloned()
            .unwrap_or_else(|| kept.to_owned());
        if kept != number {
            kept_of.insert(number.to_owned(), kept.clone());
        }
        groups.entry(kept).or_default().push(at);
    }

    let mut rows = Vec::new();
    let mut list = String::new();
    for (at, line) in text.lines().enumerate() {
        let Some(row) = at.checked_sub(1).map(|at| &members.rows()[at]) else {
            list.push_str(&format!("{line}\n"));
            continue;
        };
        let number = row.get("member");
        if let Some(kept) = kept_of.get(number) {
            let meant = format!(",{number},");
            let count = queue.lines().filter(|line| line.contains(&meant)).count();
            let first = members.rows().iter().find(|row| row.get("member") == kept);
            let name = first
                .map(|row| row.get("name").to_owned())
                .unwrap_or_default();
            rows.push([number.to_owned(), kept.clone(), name, count.to_string()]);
        } else if groups[number].len() == 1 {
            list.push_str(&format!("{line}\n"));
        } else {
            let records: Vec<&Row> = groups[number]
                .iter()
                .map(|at| &members.rows()[*at])
                .collect();
            list.push_str(&Csv::line(merged(&records, slips)));
        }
    }

    let mut changed = String::new();
    for line in queue.lines() {
        let mut line = line.to_owned();
        for (old, kept) in &kept_of {
            line = line.replacen(&format!(",{old},"), &format!(",{kept},"), 1);
        }
        changed.push_str(&format!("{line}\r\n"));
    }
    Merge {
        rows,
        members: list,
        queue: changed,
    }
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let merge = merge(desk, slips);
    let mut text = Csv::line(HEADER);
    for row in &merge.rows {
        text.push_str(&Csv::line(row));
    }
    Files::from([
        (MERGED.to_owned(), text),
        (MEMBERS.to_owned(), merge.members),
        (QUEUE.to_owned(), merge.queue),
    ])
}

fn merged(records: &[&Row], slips: Slips) -> [String; 9] {
    let mut latest: Vec<&&Row> = records.iter().collect();
    latest.sort_by_key(|row| (day_first(row.get("joined")), row.get("member")));
    if slips.news_of_the_kept {
        latest.sort_by_key(|row| std::cmp::Reverse(row.get("member")));
    }
    let news = |column: &str| {
        let last = latest
            .iter()
            .rev()
            .map(|row| row.get(column))
            .find(|cell| !cell.is_empty());
        last.unwrap_or_default().to_owned()
    };
    let first = records[0];
    let joined = records
        .iter()
        .min_by_key(|row| day_first(row.get("joined")));
    let notes: Vec<&str> = records
        .iter()
        .map(|row| row.get("note"))
        .filter(|note| !note.is_empty())
        .collect();
    [
        first.get("member").to_owned(),
        first.get("name").to_owned(),
        first.get("born").to_owned(),
        first.get("kind").to_owned(),
        joined
            .map(|row| row.get("joined").to_owned())
            .unwrap_or_default(),
        news("street"),
        news("email"),
        news("phone"),
        notes.join("; "),
    ]
}

/// A name as it is compared.
fn loose(name: &str) -> String {
    let turned = match name.split_once(", ") {
        Some((surname, first)) => format!("{first} {surname}"),
        None => name.to_owned(),
    };
    let plain: String = turned
        .to_lowercase()
        .chars()
        .map(|letter| match letter {
            'à' | 'á' | 'â' | 'ä' | 'å' => 'a',
            'è' | 'é' | 'ê' | 'ë' => 'e',
            'ì' | 'í' | 'î' | 'ï' => 'i',
            'ò' | 'ó' | 'ô' | 'ö' | 'ø' => 'o',
            'ù' | 'ú' | 'û' | 'ü' => 'u',
            other => other,
        })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

type Pairs = Vec<(String, String)>;

/// Pairs of numbers, the later one first, that are one person, and that are two.
fn known(page: &str, slips: Slips) -> (Pairs, Pairs) {
    let (mut same, mut different) = (Pairs::new(), Pairs::new());
    if slips.overlooks_the_known {
        return (same, different);
    }
    for line in page.lines().filter(|line| line.starts_with("- M-")) {
        let numbers: Vec<String> = line
            .match_indices("M-")
            .map(|(at, _)| line[at..at + 5].to_owned())
            .collect();
        let pair = (numbers[0].clone(), numbers[1].clone());
        if line.contains("one person") {
            same.push(pair);
        } else {
            different.push(pair);
        }
    }
    (same, different)
}
