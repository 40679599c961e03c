//! Handbook, notes, and the log of changed definitions.

use mcpmark_guest::World;

use crate::rows::Rows;

const HANDBOOK: &str = include_str!("texts/handbook.md");
const NOTES: &str = include_str!("texts/notes.md");

/// Definitions that changed, by day.
const LOG: [(&str, &str, &str); 5] = [
    (
        "2024-11-04",
        "bank_accounts",
        "Two columns for who rang whom, after the letter with the false account.",
    ),
    (
        "2025-03-17",
        "contracts",
        "Column temporary, for summer hours.",
    ),
    (
        "2025-09-08",
        "pay_runs",
        "A trigger: nobody approves what he has prepared, and what is paid stays.",
    ),
    (
        "2026-01-19",
        "absences",
        "Column withdrawn_on instead of deleting.",
    ),
    (
        "2026-03-02",
        "payments",
        "Index on payments that are due, for the bank link.",
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

    let mut table = Rows::new("notes", "id,written_on,author,subject,body");
    let mut count = 0;
    for line in NOTES.lines().filter(|line| !line.is_empty()) {
        count += 1;
        let parts: Vec<&str> = line.split(" | ").collect();
        let [on, author, subject, body] = parts[..] else {
            panic!("four parts: {line}");
        };
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
    for (on, object, change) in LOG {
        table.add([on.into(), object.into(), change.into()]);
    }
    table.write(world);
    count
}
