//! A new database has five vehicles, each as the latest note has it, and sums up their scenes.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Database, Parent, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TITLE: &str = "Picture vehicles";

/// Vehicle with the numbers of its scenes, firm, first and last day, and price of a day.
type Vehicle = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// The vehicles, followed by hand through list, offers, calls and comment.
const VEHICLES: [Vehicle; 5] = [
    (
        "Horse cart",
        "020 073",
        "Sandvik Farm",
        "2026-05-13",
        "2026-05-13",
        "120",
    ),
    (
        "Delivery van",
        "018 062",
        "Harrow Vintage Cars",
        "2026-05-19",
        "2026-05-19",
        "200",
    ),
    (
        "Doctor's car",
        "027",
        "Bexhill Motors",
        "2026-05-20",
        "2026-05-20",
        "150",
    ),
    (
        "Steam tractor",
        "075",
        "Old Iron Club",
        "2026-06-10",
        "2026-06-11",
        "300",
    ),
    (
        "Magistrate's limousine",
        "053",
        "Bexhill Motors",
        "2026-06-02",
        "2026-06-02",
        "310",
    ),
];

/// Cells of a vehicle in the order of [`Vehicle`].
type Cells = [String; 5];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&["Transport"]).required().id().to_owned();
    let end = Workspace::read(&task.end());
    let parent = end.satisfies(|end| -> Result<(), String> {
        let table = end.database(TITLE);
        match &table.get()?.node().parent {
            Parent::Node(parent) if *parent == page => Ok(()),
            _ => Err("expected the table on the page Transport".to_owned()),
        }
    });
    task.check("the table", parent);
    let columns = end.satisfies(|end| columns(end.database(TITLE).get()?, &start));
    task.check("the columns", columns);
    let rows: Found<BTreeMap<String, Cells>> = end.try_map(|end| {
        let table = end.database(TITLE);
        let rows = table.get()?.rows();
        let all: BTreeMap<String, Cells> = rows
            .iter()
            .map(|row| {
                let mut scenes: Vec<String> = row
                    .ids("Scenes")
                    .iter()
                    .filter_map(|id| end.title(end.node(id).get().ok()?))
                    .map(|title| title.chars().take(3).collect())
                    .collect();
                scenes.sort();
                let day = |name: &str| row.shown(name).chars().take(10).collect::<String>();
                let cells = [
                    scenes.join(" "),
                    row.shown("Firm"),
                    day("From"),
                    day("To"),
                    row.shown("Rate"),
                ];
                (name(&row.title()), cells)
            })
            .collect();
        if all.len() == rows.len() {
            Ok(all)
        } else {
            Err(format!(
                "expected one row for each vehicle, found {}",
                rows.len()
            ))
        }
    });
    let expected: BTreeSet<String> = VEHICLES.iter().map(|it| name(it.0)).collect();
    task.check(
        "one row for each vehicle",
        rows.satisfies(|rows| {
            let found: BTreeSet<String> = rows.keys().cloned().collect();
            Condition::equal(&expected, &found)
        }),
    );
    let checks = [
        "the scenes",
        "the firms",
        "the first days",
        "the last days",
        "the rates",
    ];
    for (at, check) in checks.into_iter().enumerate() {
        let conditions = VEHICLES.map(|it| {
            let expected = [it.1, it.2, it.3, it.4, it.5][at];
            rows.satisfies(|rows| {
                let found = rows.get(&name(it.0)).map_or("no row", |cells| &cells[at]);
                Condition::equal(&expected, &found).at(it.0)
            })
        });
        task.check(check, Condition::all(conditions));
    }
    let mut allowed = Allowed::new();
    if let Ok(workspace) = end.get()
        && let Ok(table) = workspace.database(TITLE).get()
    {
        allowed = allowed.added(table.node().id());
        for row in table.rows() {
            allowed = allowed.added(row.id());
        }
    }
    nothing_else_changed(task, &start, &end, &allowed);
}

/// Name of a vehicle without regard to the case and the kind of the apostrophe.
fn name(title: &str) -> String {
    title.trim().replace('’', "'").to_lowercase()
}

fn columns(table: &Database<'_>, start: &Workspace) -> Result<(), String> {
    let properties = &table.schema().properties;
    let mut found: Vec<(&str, &str)> = properties
        .iter()
        .filter(|it| it.kind != "title")
        .map(|it| (&*it.name, &*it.kind))
        .collect();
    found.sort_unstable();
    let expected = [
        ("Eighths", "rollup"),
        ("Firm", "relation"),
        ("From", "date"),
        ("Rate", "number"),
        ("Scenes", "relation"),
        ("To", "date"),
    ];
    if found != expected {
        return Err(format!(
            "expected the columns {expected:?}, found {found:?}"
        ));
    }
    let setting = |column: &str, key: &str| {
        let value = table.property(column)?.settings.get(key)?;
        value.as_str().map(str::to_owned)
    };
    for (column, target) in [("Scenes", "Scenes"), ("Firm", "Suppliers")] {
        let target_id = start.database(target).required().node().id().to_owned();
        if setting(column, "database") != Some(target_id) {
            return Err(format!(
                "expected {column} to be linked to the table {target}"
            ));
        }
    }
    let scenes = start.database("Scenes").required();
    let summed = scenes.property("Eighths").map(|it| it.id.clone());
    let through = table.property("Scenes").map(|it| it.id.clone());
    let is_sum = setting("Eighths", "function").as_deref() == Some("sum");
    let is_right =
        setting("Eighths", "property") == summed && setting("Eighths", "relation") == through;
    if is_sum && is_right {
        Ok(())
    } else {
        Err("expected Eighths to be the sum of the eighths of the scenes".to_owned())
    }
}
