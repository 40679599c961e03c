//! The scenes of four days have the status and the day that reports and decisions give them.

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "Scenes";
/// Numbers of the scenes of Day 01 to Day 04, with the status and the day that follow from the reports, the comments
/// and the handbook, worked out by hand.
const SCENES: [(&str, &str, &str); 15] = [
    ("058", "Shot", "Day 01"),
    ("065", "Shot", "Day 01"),
    ("077", "Shot", "Day 01"),
    ("056", "To schedule", ""),
    ("036", "Shot", "Day 02"),
    ("080", "Shot", "Day 02"),
    ("081", "Shot", "Day 02"),
    ("023", "Shot", "Day 03"),
    ("035", "Shot", "Day 03"),
    ("034", "Shot", "Day 03"),
    ("008", "Shot", "Day 03"),
    ("050", "Shot", "Day 04"),
    ("066", "Part shot", "Day 04"),
    ("013", "Part shot", "Day 04"),
    ("014", "Dropped", "Day 04"),
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let table = start.database(TABLE).required();
    let rows = table.rows();
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let mut allowed = Allowed::new();
    for (number, status, day) in SCENES {
        let row = rows.iter().find(|row| row.title().starts_with(number));
        let row = row.expect("the scene is in the table");
        ids.insert(number, row.id());
        if row.shown("Status") != status {
            allowed = allowed.value(row.id(), "Status");
        }
        let planned = row.shown("Day");
        if planned != day {
            let days = start.database("Shooting days").required();
            allowed = allowed
                .value(row.id(), "Day")
                .value(days.row(&planned).required().id(), "Scenes");
        }
    }
    for (name, column) in [("the statuses", "Status"), ("the days", "Day")] {
        let conditions = SCENES.map(|(number, status, day)| {
            let expected = if column == "Day" { day } else { status };
            let row = ids[number];
            end.satisfies(|end| -> Result<(), String> {
                let found = end
                    .database(TABLE)
                    .get()?
                    .row_by_id(row)?
                    .cell(column)?
                    .shown();
                if found == expected {
                    Ok(())
                } else {
                    Err(format!("{number}: expected {expected:?}, found {found:?}"))
                }
            })
        });
        task.check(name, Condition::all(conditions));
    }
    nothing_else_changed(task, &start, &end, &allowed);
}
