//! A machine and an item hang on the supplier and the room of the others, and the second ones are gone.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Row, What, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const MACHINE: &str = "Anaesthetic machine B";
const RIGHT: &str = "Halden Medical";
const WRONG: &str = "Halden Medical ";
const ITEM: &str = "Clippers 2";
const ROOM: &str = "Consult 2";
const ROOMS: [&str; 6] = [
    "Theatre",
    "Prep",
    "Consult 1",
    "Consult 2",
    "Kennels",
    "Store",
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let list = start.database("Equipment").required();
    let suppliers = start.database("Suppliers").required();
    let id = |row: Row<'_>| row.id().to_owned();
    let machine = id(list.row(MACHINE).required());
    let item = id(list.row(ITEM).required());
    let right = id(suppliers.row(RIGHT).required());
    let wrong = id(suppliers.row(WRONG).required());
    let room = list.property("Room").expect("the list has rooms");
    let end = Workspace::read(&task.end());

    task.check(
        "the machine has the right supplier",
        end.satisfies(|end| {
            let list = end.database("Equipment");
            let row = list.get().and_then(|it| it.row_by_id(&machine));
            let found = row.map_or(Vec::new(), |row| row.ids("Supplier"));
            Condition::equal(&vec![right.as_str()], &found)
        }),
    );
    task.check(
        "the second supplier is gone",
        end.satisfies(|end| {
            Condition::when(
                !end.is_live(&wrong),
                "expected it in the trash, found it in the list",
            )
        }),
    );
    let mut expected = suppliers.row(RIGHT).required().ids("Equipment");
    expected.push(&machine);
    expected.sort_unstable();
    task.check(
        "the other suppliers keep theirs",
        end.satisfies(|end| {
            let suppliers = end.database("Suppliers");
            let row = suppliers.get().and_then(|it| it.row_by_id(&right));
            let mut found = row.map_or(Vec::new(), |row| row.ids("Equipment"));
            found.sort_unstable();
            Condition::equal(&expected, &found)
        }),
    );
    task.check(
        "everything is in the right room",
        end.try_map(|end| {
            end.database("Equipment")
                .get()?
                .row_by_id(&item)?
                .cell("Room")
        })
        .is(Cell::Option(ROOM.to_owned())),
    );
    let kept = |property: &mcpmark_guest_notion::Property| -> Vec<String> {
        let options = property
            .settings
            .get("options")
            .and_then(|it| it.as_array());
        let options = options.into_iter().flatten();
        let kept = options.filter(|it| it["name"].as_str().is_some_and(|it| ROOMS.contains(&it)));
        kept.map(ToString::to_string).collect()
    };
    task.check(
        "the second room is no choice",
        end.satisfies(|end| -> Result<(), String> {
            let list = end.database("Equipment");
            let found = list.get()?.property(&room.name);
            let found = found.ok_or("expected the property Room")?;
            let mut names = found.options();
            names.sort_unstable();
            let mut expected = ROOMS;
            expected.sort_unstable();
            if names == expected && kept(found) == kept(room) {
                Ok(())
            } else {
                Err(format!("expected the choices {ROOMS:?}, found {names:?}"))
            }
        }),
    );
    let allowed = Allowed::new()
        .value(&machine, "Supplier")
        .value(&right, "Equipment")
        .value(&wrong, "Equipment")
        .part(&wrong, What::Trashed)
        .value(&item, "Room")
        .part(list.node().id(), What::Property(room.id.clone()));
    nothing_else_changed(task, &start, &end, &allowed);
}
