//! The free place is offered to the right pupil, with a comment on who was passed over and why.

mod reasons;

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const LESSON: &str = "Thu 16:30 Wilk";
const PUPIL: &str = "Viggo Pell";
/// A week after the day on which the world begins.
const ANSWER_BY: &str = "2026-09-21";

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let id_of = |table: &str, title: &str| {
        let table = start.database(table).required();
        table.row(title).required().id().to_owned()
    };
    let lesson = id_of("Timetable", LESSON);
    let pupil = id_of("Pupils", PUPIL);
    let cell = |table: &'static str, row: &str, column: &'static str| {
        end.try_map(|end| {
            let table = end.database(table);
            table.get()?.row_by_id(row)?.cell(column)
        })
    };
    let offered = Cell::Option("Offered".to_owned());
    task.check(
        "whose place it is",
        cell("Timetable", &lesson, "Pupils").is(Cell::Related(vec![PUPIL.to_owned()])),
    );
    task.check(
        "the lesson is offered",
        cell("Timetable", &lesson, "State").is(offered.clone()),
    );
    task.check(
        "the pupil is offered",
        cell("Pupils", &pupil, "Status").is(offered),
    );
    let day = cell("Pupils", &pupil, "Answer by").satisfies(|cell| {
        let found = cell.shown();
        Condition::equal(&ANSWER_BY, &&*found)
    });
    task.check("the day of the answer", day);
    let known = start.node(&pupil).required().comments.len();
    let comment: Found<String> = end.try_map(|end| {
        let node = end.node(&pupil);
        let new: Vec<_> = node.get()?.comments.iter().skip(known).collect();
        match new.as_slice() {
            [comment] => Ok(end.plain(&comment.text)),
            new => Err(format!("expected one new comment, found {}", new.len())),
        }
    });
    task.check("one comment on the pupil", comment.exists());
    for (name, condition) in reasons::conditions(&comment) {
        task.check(format!("the reasons: {name}"), condition);
    }
    let allowed = Allowed::new()
        .value(&lesson, "Pupils")
        .value(&lesson, "State")
        .value(&pupil, "Lessons")
        .value(&pupil, "Status")
        .value(&pupil, "Answer by")
        .comments(&pupil);
    nothing_else_changed(task, &start, &end, &allowed);
}
