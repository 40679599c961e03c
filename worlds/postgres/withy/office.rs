//! Handbook, notes, claims, work orders, and the log of changed definitions.

use mcpmark_guest::World;

use crate::rows::{Rows, Value};

const HANDBOOK: &str = include_str!("texts/handbook.md");
const NOTES: &str = include_str!("texts/notes.md");
const CLAIMS: &str = include_str!("texts/claims.md");
const WORK_ORDERS: &str = include_str!("texts/work_orders.md");

/// Definitions that changed, from the oldest to the newest.
const LOG: [(&str, &str, &str); 6] = [
    (
        "2024-09-16",
        "readings",
        "Index on import_id: a file that was read in wrongly can be taken out again.",
    ),
    (
        "2025-02-10",
        "readings",
        "Check on quality: there had been four spellings of suspect.",
    ),
    (
        "2025-10-06",
        "claims",
        "New table, so that answers are found again.",
    ),
    (
        "2026-01-12",
        "borehole_readings",
        "In parts by month, since only the last weeks are asked for.",
    ),
    (
        "2026-01-12",
        "readings",
        "The time belongs to the key, so that this table can follow.",
    ),
    (
        "2026-04-20",
        "deployments",
        "Column part, because a second gauge runs at Foxley Lock.",
    ),
];

/// Writes the tables and returns the number of notes.
pub fn write(world: &mut World) -> usize {
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

    let notes = NOTES.lines().filter(|line| !line.is_empty());
    let mut table = Rows::new("notes", "id,written_on,author,subject,body");
    let mut count = 0;
    for line in notes {
        count += 1;
        let [on, author, subject, body] = cells::<4>(line);
        table.add([
            count.into(),
            on.into(),
            author.into(),
            subject.into(),
            body.into(),
        ]);
    }
    table.write(world);

    let mut table = Rows::new("schema_log", "changed_on,object,change");
    let mut log = LOG;
    log.sort_unstable();
    for (on, object, change) in log {
        table.add([on.into(), object.into(), change.into()]);
    }
    table.write(world);

    let columns = "id,received_on,household,station,flood_on,letter,status,amount,decided_on,decided_by,answer";
    lines::<11>(world, "claims", columns, CLAIMS);
    let columns = "id,station,device,opened_on,closed_on,assigned_to,subject,report";
    lines::<8>(world, "work_orders", columns, WORK_ORDERS);
    count
}

fn lines<const N: usize>(world: &mut World, name: &'static str, columns: &str, text: &str) {
    let mut table = Rows::new(name, columns);
    for line in text.lines().filter(|line| !line.is_empty()) {
        table.add(cells::<N>(line).map(|cell| Value::from(Some(cell).filter(|it| !it.is_empty()))));
    }
    table.write(world);
}

fn cells<const N: usize>(line: &str) -> [&str; N] {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    match cells.try_into() {
        Ok(cells) => cells,
        Err(_) => panic!("{N} parts: {line}"),
    }
}
