//! Four items get the keeper of their room, and one that is retired gets none.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Database, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const LIST: &str = "Equipment";
/// Number of each item without a keeper, and who keeps its room since the last meeting.
const KEEPERS: [(u64, &str); 4] = [
    (11, "Oonagh Fairweather"),
    (21, "Oonagh Fairweather"),
    (36, "Dev Ramanathan"),
    (38, "Tobias Quill"),
];
const RETIRED: u64 = 4;

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let list = start.database(LIST).required();
    let without = list.rows().into_iter();
    let without = without.filter(|row| row.cell("Keeper") == Ok(Cell::Empty));
    assert_eq!(
        without.count(),
        KEEPERS.len() + 1,
        "these items have no keeper"
    );

    let end = Workspace::read(&task.end());
    let mut allowed = Allowed::new();
    let mut keepers = Vec::new();
    for (number, name) in KEEPERS {
        let keeper = Cell::People(vec![name.to_owned()]);
        keepers.push(end.satisfies(|end| keeper_is(end.database(LIST).get()?, number, &keeper)));
        let rows = list.rows().into_iter();
        for row in rows.filter(|row| row.cell("No.") == Ok(Cell::Serial(number))) {
            allowed = allowed.value(row.id(), "Keeper");
        }
    }
    task.check("the missing keepers", Condition::all(keepers));
    task.check(
        "retired things have no keeper",
        end.satisfies(|end| keeper_is(end.database(LIST).get()?, RETIRED, &Cell::Empty)),
    );
    nothing_else_changed(task, &start, &end, &allowed);
}

/// Compares the keeper of the item with a number.
fn keeper_is(list: &Database<'_>, number: u64, keeper: &Cell) -> Result<(), String> {
    let rows = list.rows().into_iter();
    let row = rows
        .into_iter()
        .find(|row| row.cell("No.") == Ok(Cell::Serial(number)));
    let row = row.ok_or_else(|| format!("there is no item EQ-{number}"))?;
    match row.cell("Keeper")? {
        found if found == *keeper => Ok(()),
        found => Err(format!(
            "{}: expected the keeper {:?}, found {:?}",
            row.title(),
            keeper.shown(),
            found.shown()
        )),
    }
}
