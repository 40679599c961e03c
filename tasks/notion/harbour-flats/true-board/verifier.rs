//! Open cards get the status that their firm, tenant and invoice give them, and a due date if they have none.

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Row, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const BOARD: &str = "Repairs";
/// Number of the card, status and due date, worked out by hand from the calendar of March 2026.
const CARDS: [(u64, &str, &str); 14] = [
    (29, "Done", "2026-02-25"),
    (30, "Ordered", "2026-03-10"),
    (31, "Reported", "2026-03-25"),
    (32, "Reported", "2026-03-24"),
    (33, "Ordered", "2026-03-16"),
    (34, "Closed", "2026-03-10"),
    (35, "Reported", "2026-03-17"),
    (36, "Reported", "2026-03-27"),
    (37, "Ordered", "2026-03-20"),
    (38, "Done", "2026-03-05"),
    (39, "Done", "2026-03-18"),
    (40, "Reported", "2026-03-20"),
    (41, "Ordered", "2026-03-30"),
    (42, "Ordered", "2026-03-16"),
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let board = start.database(BOARD).required();
    let end = Workspace::read(&task.end());
    let mut allowed = Allowed::new();
    let (mut statuses, mut dates, mut agreed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, status, due) in CARDS {
        let is_card = |row: &Row<'_>| row.cell("No.") == Ok(Cell::Serial(number));
        let card = board
            .rows()
            .into_iter()
            .find(is_card)
            .expect("the card is on the board");
        assert_ne!(card.shown("Status"), "Closed", "the card is open");
        statuses.push(shows(&end, card.id(), "Status", status));
        let shown = shows(&end, card.id(), "Due", due);
        if card.cell("Due") == Ok(Cell::Empty) {
            dates.push(shown);
            allowed = allowed.value(card.id(), "Due");
        } else {
            agreed.push(shown);
        }
        if card.shown("Status") != status {
            allowed = allowed.value(card.id(), "Status");
        }
    }
    let open = board
        .rows()
        .into_iter()
        .filter(|row| row.shown("Status") != "Closed");
    assert_eq!(open.count(), CARDS.len(), "these cards are open");
    task.check("the statuses", Condition::all(statuses));
    task.check("the due dates", Condition::all(dates));
    task.check("dates that were agreed stay", Condition::all(agreed));
    nothing_else_changed(task, &start, &end, &allowed);
}

/// Compares a value of a card as a person reads it.
fn shows(end: &Found<Workspace>, card: &str, property: &str, expected: &str) -> Condition {
    end.satisfies(|end| -> Result<(), String> {
        let row = end.database(BOARD).get()?.row_by_id(card)?;
        let found = row.cell(property)?.shown();
        if found == expected {
            Ok(())
        } else {
            Err(format!(
                "{}: expected {expected:?} as {property}, found {found:?}",
                row.title()
            ))
        }
    })
}
