//! Pupils have the status, the last day and the beginning of a leave that follow from the post book and the rules.

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "Pupils";
const COLUMNS: [&str; 3] = ["Status", "Until", "Leave since"];
/// Pupils with the values of [`COLUMNS`], worked out by hand. Those who only look as if they were leaving are here too.
const PUPILS: [(&str, [&str; 3]); 17] = [
    ("Alva Rieck", ["Left", "2026-07-31", ""]),
    ("Bastian Okoro", ["Left", "2026-07-31", ""]),
    ("Celeste Amani", ["Active", "2027-01-31", ""]),
    ("Dario Finch", ["Active", "", ""]),
    ("Elin Sandahl", ["Active", "", ""]),
    ("Frode Sandahl", ["Left", "2026-07-31", ""]),
    ("Greer Malone", ["Active", "", ""]),
    ("Hedda Brooks", ["Active", "2026-09-30", ""]),
    ("Idris Vale", ["On leave", "", "2026-08-01"]),
    ("Jonna Petrie", ["Active", "", ""]),
    ("Jonte Falk", ["On leave", "", "2026-08-01"]),
    ("Kit Larkin", ["Left", "2026-07-31", ""]),
    ("Lotte Brandis", ["Active", "", ""]),
    ("Milo Tanner", ["Active", "", ""]),
    ("Pavel Orlov", ["Active", "", ""]),
    ("Quin Sayer", ["Active", "2026-09-30", ""]),
    ("Yara Bloom", ["Waiting", "", ""]),
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let table = start.database(TABLE).required();
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    let mut allowed = Allowed::new();
    for (name, values) in PUPILS {
        let row = table.row(name).required();
        ids.insert(name, row.id().to_owned());
        for (column, value) in COLUMNS.into_iter().zip(values) {
            if row.shown(column) != value {
                allowed = allowed.value(row.id(), column);
            }
        }
    }
    for (at, check) in ["the statuses", "the last days", "the leaves"]
        .into_iter()
        .enumerate()
    {
        let conditions = PUPILS.iter().map(|(name, values)| {
            let expected = values[at];
            end.satisfies(|end| -> Result<(), String> {
                let table = end.database(TABLE);
                let row = table.get()?.row_by_id(&ids[name])?;
                let found = row.cell(COLUMNS[at])?.shown();
                if found == expected {
                    return Ok(());
                }
                Err(format!("expected {expected:?}, found {found:?}"))
            })
            .at(*name)
        });
        task.check(check, Condition::all(conditions));
    }
    nothing_else_changed(task, &start, &end, &allowed);
}
