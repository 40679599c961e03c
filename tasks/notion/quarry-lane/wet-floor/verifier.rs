//! Thirteen lessons are in other rooms, six families are told, and a notice says where everybody is.

mod notice;
mod told;

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Kind, Node, Parent, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const OLD: &str = "Garden room";
/// Lessons with their new room and the room to which they return, worked out by hand.
const LESSONS: [(&str, &str, &str); 13] = [
    ("Mon 14:30 Oyelaran", "Long room", OLD),
    ("Mon 15:00 Oyelaran", "Long room", OLD),
    ("Tue 15:00 Brandt", "Hall", OLD),
    ("Tue 15:30 Brandt", "Hall", OLD),
    ("Wed 14:00 Boer", "Long room", OLD),
    ("Wed 14:30 Boer", "Long room", OLD),
    ("Wed 17:00 Paredes", "Bay", OLD),
    ("Wed 17:45 Paredes", "Bay", "Tower"),
    ("Thu 14:30 Lund", "Library", OLD),
    ("Thu 15:15 Lund", "Library", OLD),
    ("Fri 15:00 Oyelaran", "Bay", OLD),
    ("Fri 15:30 Oyelaran", "Bay", OLD),
    ("Fri 16:15 Oyelaran", "Bay", OLD),
];
const ROOMS: [&str; 5] = [OLD, "Long room", "Hall", "Bay", "Library"];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let timetable = start.database("Timetable").required();
    let rooms = start.database("Rooms").required();
    let mut allowed = Allowed::new();
    for room in ROOMS {
        allowed = allowed.value(rooms.row(room).required().id(), "Lessons");
    }
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    for (lesson, _, back) in LESSONS {
        let row = timetable.row(lesson).required();
        ids.insert(lesson, row.id().to_owned());
        allowed = allowed.value(row.id(), "Room");
        if row.shown("Back to") != back {
            allowed = allowed.value(row.id(), "Back to");
        }
    }
    for (check, column) in [
        ("the rooms", "Room"),
        ("the rooms to which they return", "Back to"),
    ] {
        let conditions = LESSONS.map(|(lesson, room, back)| {
            let expected = if column == "Room" { room } else { back };
            let found = end.try_map(|end| {
                let table = end.database("Timetable");
                table.get()?.row_by_id(&ids[lesson])?.cell(column)
            });
            found
                .is(Cell::Related(vec![expected.to_owned()]))
                .at(lesson)
        });
        task.check(check, Condition::all(conditions));
    }

    let pupils = start.database("Pupils").required();
    let comments = told::CHILDREN.map(|child| {
        let row = pupils.row(child.name).required();
        allowed = std::mem::take(&mut allowed).comments(row.id());
        let before = row.node().comments.len();
        let text: Found<String> = end.try_map(|end| {
            let node = end.node(row.id());
            let new: Vec<_> = node.get()?.comments.iter().skip(before).collect();
            match new.as_slice() {
                [comment] => Ok(end.plain(&comment.text)),
                new => Err(format!("expected one new comment, found {}", new.len())),
            }
        });
        child.condition(&text).at(child.name)
    });
    task.check("who is told", Condition::all(comments));

    let notices = start.page(&["Notices"]).required().id().to_owned();
    let page: Found<Node> = end.try_map(|end| {
        let is_new = |node: &&Node| {
            start.node(node.id()).get().is_err()
                && matches!(node.kind, Kind::Page(_))
                && node.parent == Parent::Node(notices.clone())
                && end.is_live(node.id())
        };
        let new: Vec<&Node> = end.nodes().filter(is_new).collect();
        match new.as_slice() {
            [page] => Ok((*page).clone()),
            new => Err(format!(
                "expected one new page under Notices, found {}",
                new.len()
            )),
        }
    });
    if let Ok(page) = page.get() {
        allowed = allowed.added(page.id()).below(page.id());
    }
    let parts = page.try_map(|page| {
        let end = end.get()?;
        let blocks = end.outline(page.id()).into_iter();
        let blocks = blocks.map(|(level, node)| notice::Block {
            text: end.text_of(node),
            is_item: level == 0 && node.type_name() == "bulleted_list_item",
            level,
        });
        let title = end.title(page).unwrap_or_default();
        Ok(notice::Notice {
            title,
            blocks: blocks.collect(),
        })
    });
    for (name, condition) in notice::conditions(&parts) {
        task.check(format!("the notice: {name}"), condition);
    }
    nothing_else_changed(task, &start, &end, &allowed);
}
