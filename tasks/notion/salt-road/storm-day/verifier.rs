//! Three scenes have left the day of the storm, four others fill it, and each of the seven has a comment.

mod moved;

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Comment, Row, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const STORM: u8 = 9;
/// Scenes of the day of the storm, with the day on which they are now.
const AWAY: [(&str, u8); 3] = [("016", 26), ("061", 25), ("067", 14)];
/// Cover scenes, with the day from which they come. They have 6, 9, 10 and 8 eighths.
const COVER: [(&str, u8); 4] = [("030", 18), ("041", 16), ("042", 17), ("076", 17)];
const BASE: &str = "Stage car park";

/// Scene that moves: number, id, old day and new day.
struct Move {
    number: &'static str,
    id: String,
    from: u8,
    to: u8,
}

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let scenes = start.database("Scenes").required();
    let days = start.database("Shooting days").required();
    let day_id = |day: u8| {
        let row = days.row(&name(day)).required();
        row.id().to_owned()
    };
    let by_number: BTreeMap<String, Row<'_>> = scenes
        .rows()
        .into_iter()
        .map(|row| (row.title()[..3].to_owned(), row))
        .collect();
    let make = |number: &'static str, from: u8, to: u8| {
        let row = by_number[number];
        assert_eq!(
            row.shown("Day"),
            name(from),
            "the scene is planned for this day"
        );
        let id = row.id().to_owned();
        Move {
            number,
            id,
            from,
            to,
        }
    };
    let away = AWAY.map(|(number, to)| make(number, STORM, to));
    let cover = COVER.map(|(number, from)| make(number, from, STORM));

    let mut allowed = Allowed::new().value(&day_id(STORM), "Base");
    for it in away.iter().chain(&cover) {
        allowed = allowed
            .value(&it.id, "Day")
            .value(&day_id(it.from), "Scenes")
            .value(&day_id(it.to), "Scenes")
            .comments(&it.id);
    }
    for (check, moves) in [
        ("the scenes of the day", &away[..]),
        ("the cover scenes", &cover[..]),
    ] {
        let conditions = moves.iter().map(|it| {
            let day = end.try_map(|end| {
                let table = end.database("Scenes");
                table.get()?.row_by_id(&it.id)?.cell("Day")
            });
            day.is(Cell::Related(vec![name(it.to)])).at(it.number)
        });
        task.check(check, Condition::all(conditions));
    }
    let storm = day_id(STORM);
    let base = end.try_map(|end| {
        let table = end.database("Shooting days");
        table.get()?.row_by_id(&storm)?.cell("Base")
    });
    task.check("the base", base.is(Cell::Text(BASE.to_owned())));
    let comments = away.iter().chain(&cover).map(|it| {
        let text = end.try_map(|end| {
            let before = start.node(&it.id).required().comments.len();
            let node = end.node(&it.id);
            let new: Vec<&Comment> = node.get()?.comments.iter().skip(before).collect();
            match new.as_slice() {
                [comment] => Ok(end.plain(&comment.text)),
                new => Err(format!("expected one new comment, found {}", new.len())),
            }
        });
        let (from, to) = (it.from, it.to);
        text.satisfies(|text| moved::says(text, from, to))
            .at(it.number)
    });
    task.check("a comment on each", Condition::all(comments));
    nothing_else_changed(task, &start, &end, &allowed);
}

fn name(day: u8) -> String {
    format!("Day {day:02}")
}
