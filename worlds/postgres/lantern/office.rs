//! Handbook of the house, notes of the desk, and the log of changed definitions.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::Date;

use crate::customers::People;
use crate::rows::Rows;

const HANDBOOK: &str = include_str!("texts/handbook.md");
const NOTES: &str = include_str!("texts/notes.md");

/// Definitions that changed, from the oldest to the newest.
const LOG: [(&str, &str, &str); 7] = [
    (
        "2024-01-08",
        "tickets",
        "Column screening_id, copied from the booking, so that the seat plan needs no join.",
    ),
    (
        "2024-06-17",
        "screenings",
        "Index on starts_at: the web shop lists a day at a time.",
    ),
    (
        "2024-09-30",
        "customers",
        "Column merged_into. Until then, doubles were deleted, and their bookings with them.",
    ),
    (
        "2025-02-24",
        "payments",
        "Check on amount: three refunds had been entered as negative charges.",
    ),
    (
        "2025-05-12",
        "bookings",
        "Index on screening_id for the seat plan.",
    ),
    (
        "2025-05-12",
        "tickets",
        "Index on booking_id for the printout.",
    ),
    (
        "2025-11-03",
        "memberships",
        "Check on tier: no more platinum.",
    ),
];

/// Writes the tables and returns the id of the last note.
pub fn write(world: &mut World, people: &People) -> usize {
    let mut sections: Vec<[&str; 5]> = HANDBOOK
        .split("\n# ")
        .map(|section| section.trim_start_matches("# "))
        .map(|section| {
            let (head, body) = section.split_once('\n').expect("a heading and a body");
            let head: Vec<&str> = head.split(" | ").collect();
            let [name, title, edited_on, edited_by] = head[..] else {
                panic!("four parts: {head:?}");
            };
            [name, title, body.trim(), edited_on, edited_by]
        })
        .collect();
    sections.sort_unstable();
    let mut table = Rows::new("handbook", "section,title,body,edited_on,edited_by");
    for section in sections {
        table.add(section.map(Into::into));
    }
    table.write(world);

    let mut table = Rows::new("desk_notes", "id,written_on,author,subject,body");
    let mut count = 0;
    let mut last: Option<Date> = None;
    for line in NOTES.lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.splitn(4, " | ").collect();
        let [on, author, subject, body] = cells[..] else {
            panic!("four parts: {line}");
        };
        let date: Date = on.parse().expect("a date");
        assert!(
            last.is_none_or(|last| last <= date),
            "notes are in order: {line}"
        );
        last = Some(date);
        count += 1;
        // Ids have gaps, because notes can be withdrawn.
        let id = 700 + count + count / 7;
        table.add([
            id.into(),
            date.into(),
            author.into(),
            subject.into(),
            filled(body, people).into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("schema_log", "changed_on,object,change");
    for row in LOG {
        table.add(<[&str; 3]>::from(row).map(Into::into));
    }
    table.write(world);
    700 + count + count / 7
}

/// Replaces the placeholders of accounts.
fn filled(body: &str, people: &People) -> String {
    let mut text = body.to_owned();
    let pairs = people.couples.iter().chain([&people.lifted]);
    for (pair, letter) in pairs.zip(["a", "b", "c"]) {
        for (id, side) in pair.iter().zip([1, 2]) {
            text = text.replace(&format!("{{{letter}{side}}}"), &id.to_string());
        }
        let family = people.accounts[pair[0] - 1]
            .name
            .split(' ')
            .next_back()
            .unwrap_or_default();
        text = text.replace(&format!("{{{letter}}}"), family);
    }
    text
}
