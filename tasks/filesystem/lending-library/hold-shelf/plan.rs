//! Who gets which copy, and who is passed over.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Csv, Reader};

use crate::library::{
    self, Calendar, Files, MEMBERS, QUEUE, catalogue, hold_day, iso, lent, loans, table,
};

pub const SLIPS: &str = "Reservations/2024-03-05 slips.csv";
pub const SLIPS_HEADER: [&str; 6] = ["no", "member", "name", "title", "shelf", "keep until"];
pub const PASSED: &str = "Reservations/2024-03-05 passed over.csv";
pub const PASSED_HEADER: [&str; 4] = ["placed", "member", "title", "reason"];

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub old_limit: bool,
    pub loses_sight_of_loans: bool,
    pub logs: library::Slips,
}

pub struct Round {
    pub slips: Vec<[String; 6]>,
    pub passed: Vec<[String; 4]>,
    /// The queue with its CRLF.
    pub queue: String,
}

pub fn round(desk: &mut impl Reader, slips: Slips) -> Round {
    let calendar = Calendar::read(desk);
    let items = catalogue(desk);
    let loans = loans(desk, &calendar, slips.logs);
    let lent = lent(&loans);
    let members = table(&desk.text(MEMBERS), b',');
    let people: BTreeMap<&str, (&str, &str)> = members
        .rows()
        .iter()
        .map(|row| (row.get("member"), (row.get("name"), row.get("note"))))
        .collect();
    let text = desk.text(QUEUE);
    let queue = table(&text, b',');
    let isbn = |row: usize| queue.rows()[row].get("isbn").replace('-', "");

    let mut taken: BTreeSet<String> = library::held(desk);
    let mut on_shelf: BTreeMap<&str, usize> = BTreeMap::new();
    let mut has: BTreeSet<(String, String)> = BTreeSet::new();
    for (no, member) in &lent {
        if let Some(item) = items.get(no)
            && !slips.loses_sight_of_loans
        {
            has.insert((member.clone(), item.isbn.clone()));
        }
    }
    for (at, row) in queue.rows().iter().enumerate() {
        if row.get("state") == "ready" {
            *on_shelf.entry(row.get("member")).or_default() += 1;
            has.insert((row.get("member").to_owned(), isbn(at)));
        }
    }
    let mut waiting: Vec<usize> = (0..queue.rows().len())
        .filter(|at| queue.rows()[*at].get("state") == "waiting")
        .collect();
    waiting.sort_by_key(|at| {
        (
            queue.rows()[*at].get("placed"),
            queue.rows()[*at].get("member"),
        )
    });

    let mut until = hold_day();
    for _ in 0..3 {
        until = calendar.after(until);
    }
    let limit = if slips.old_limit { 3 } else { 2 };
    let mut round = Round {
        slips: Vec::new(),
        passed: Vec::new(),
        queue: String::new(),
    };
    let mut given: BTreeMap<usize, String> = BTreeMap::new();
    for at in waiting {
        let row = &queue.rows()[at];
        let member = row.get("member");
        let (name, note) = people[member];
        let title = (member.to_owned(), isbn(at));
        let copy = items.values().find(|item| {
            item.isbn == title.1
                && item.status == "in stock"
                && item.kind != "reference"
                && !lent.contains_key(&item.no)
                && !taken.contains(&item.no)
        });
        let last = row.get("until");
        let reason = if !last.is_empty() && iso(last) < hold_day() {
            "lapsed"
        } else if note.to_lowercase().starts_with("blocked") {
            "blocked"
        } else if has.contains(&title) {
            "has it"
        } else if on_shelf.get(member).copied().unwrap_or(0) >= limit {
            "limit"
        } else if let Some(copy) = copy {
            taken.insert(copy.no.clone());
            has.insert(title);
            *on_shelf.entry(member).or_default() += 1;
            given.insert(at, copy.no.clone());
            let cells = [&copy.no, member, name, &copy.title, &copy.shelf];
            let [no, member, name, title, shelf] = cells.map(str::to_owned);
            round
                .slips
                .push([no, member, name, title, shelf, until.to_string()]);
            continue;
        } else {
            "no copy"
        };
        let cells = [row.get("placed"), member, row.get("title"), reason];
        round.passed.push(cells.map(str::to_owned));
    }
    round
        .slips
        .sort_by(|a, b| (&a[4], &a[0]).cmp(&(&b[4], &b[0])));
    for (at, line) in text.lines().enumerate() {
        let copy = at.checked_sub(1).and_then(|row| given.get(&row));
        let line = match copy {
            Some(copy) => format!("{}ready,{copy}", line.trim_end_matches("waiting,")),
            None => line.to_owned(),
        };
        round.queue.push_str(&format!("{line}\r\n"));
    }
    round
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let round = round(desk, slips);
    let mut written = Csv::line(SLIPS_HEADER);
    for row in &round.slips {
        written.push_str(&Csv::line(row));
    }
    let mut passed = Csv::line(PASSED_HEADER);
    for row in &round.passed {
        passed.push_str(&Csv::line(row));
    }
    Files::from([
        (SLIPS.to_owned(), written),
        (PASSED.to_owned(), passed),
        (QUEUE.to_owned(), round.queue),
    ])
}
