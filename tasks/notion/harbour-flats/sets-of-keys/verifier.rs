//! A new database has eight sets of keys, each where the latest note has it.

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Database, Parent, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TITLE: &str = "Sets of keys";
/// Columns beside the title, with their types.
const COLUMNS: [(&str, &str); 4] = [
    ("Flat", "relation"),
    ("Holder", "select"),
    ("Since", "date"),
    ("Front door", "checkbox"),
];
const HOLDERS: [&str; 4] = ["caretaker", "firm", "office", "tenant"];

/// Set of keys: number, flat, holder, since when, and whether it opens the front door.
type Set = (&'static str, &'static str, &'static str, &'static str, bool);

/// The sets, followed by hand through the three lists.
const SETS: [Set; 8] = [
    ("K-08", "Gull Row 3, flat 2", "tenant", "2025-10-06", true),
    (
        "K-09",
        "Gull Row 3, flat 5",
        "caretaker",
        "2026-01-12",
        false,
    ),
    ("K-11", "Gull Row 3, flat 4", "office", "2026-02-01", true),
    ("K-14", "Gull Row 5, flat 3", "tenant", "2026-02-20", false),
    ("K-20", "Salt House, flat 6", "firm", "2026-03-11", true),
    (
        "K-22",
        "Lantern Court, flat 3",
        "tenant",
        "2025-11-24",
        false,
    ),
    ("K-27", "Ropewalk 12, flat 3", "office", "2026-02-27", true),
    (
        "K-31",
        "The Net Loft, flat 2",
        "tenant",
        "2026-03-04",
        false,
    ),
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&["Keys"]).required().id().to_owned();
    let end = Workspace::read(&task.end());

    let table = end.satisfies(|end| -> Result<(), String> {
        let table = end.database(TITLE);
        match &table.get()?.node().parent {
            Parent::Node(parent) if *parent == page => Ok(()),
            _ => Err("expected the table on the page Keys".to_owned()),
        }
    });
    task.check("the table", table);
    let flats = start.database("Flats").required().node().id();
    task.check(
        "the columns",
        end.satisfies(|end| columns(end.database(TITLE).get()?, flats)),
    );
    let rows: Found<BTreeMap<String, [String; 4]>> = end.try_map(|end| {
        let table = end.database(TITLE);
        let rows = table.get()?.rows();
        let mut all = BTreeMap::new();
        for row in &rows {
            all.insert(row.title(), COLUMNS.map(|(name, _)| row.shown(name)));
        }
        if all.len() == rows.len() {
            Ok(all)
        } else {
            Err(format!(
                "expected one line for each set, found {}",
                rows.len()
            ))
        }
    });
    let numbers: Vec<&str> = SETS.iter().map(|set| set.0).collect();
    task.check(
        "one line for each set",
        rows.satisfies(|rows| {
            let found: Vec<&str> = rows.keys().map(String::as_str).collect();
            Condition::equal(&numbers, &found)
        }),
    );
    let names = ["the flats", "the holders", "since when", "the front doors"];
    for (at, name) in names.into_iter().enumerate() {
        let values = SETS.map(|set| {
            let tick = if set.4 { "yes" } else { "" };
            let expected = [set.1, set.2, set.3, tick][at];
            rows.satisfies(|rows| {
                let found = rows.get(set.0).map_or("no line", |values| &values[at]);
                Condition::equal(&expected, &found).at(set.0)
            })
        });
        task.check(name, Condition::all(values));
    }

    let table = end.try_map(|end| Ok(end.database(TITLE).get()?.node().id().to_owned()));
    let mut allowed = Allowed::new();
    if let (Ok(table), Ok(workspace)) = (table.get(), end.get()) {
        allowed = allowed.added(table);
        for row in workspace.children(table) {
            allowed = allowed.added(row.id());
        }
    }
    nothing_else_changed(task, &start, &end, &allowed);
}

fn columns(table: &Database<'_>, flats: &str) -> Result<(), String> {
    let properties = &table.schema().properties;
    let others = properties.iter().filter(|it| it.kind != "title");
    let mut found: Vec<(&str, &str)> = others.map(|it| (&*it.name, &*it.kind)).collect();
    found.sort_unstable();
    let mut expected = COLUMNS;
    expected.sort_unstable();
    if found != expected {
        return Err(format!(
            "expected the columns {expected:?}, found {found:?}"
        ));
    }
    let related = table
        .property("Flat")
        .and_then(|it| it.settings.get("database"));
    if related.and_then(|it| it.as_str()) != Some(flats) {
        return Err("expected Flat to be linked to the table of flats".to_owned());
    }
    let mut holders = table
        .property("Holder")
        .map_or(Vec::new(), |it| it.options());
    holders.sort_unstable();
    if holders == HOLDERS {
        Ok(())
    } else {
        Err(format!(
            "expected the holders {HOLDERS:?}, found {holders:?}"
        ))
    }
}
