//! Overview of the shipped world, and texts at its places.

use mcpmark_notion::overview::{Overview, text_at};

use crate::support::{done, engine, id_of};

#[test]
fn the_tree_has_the_pages_and_databases() {
    let overview = Overview::new(&engine().workspace);
    assert_eq!(
        (overview.name.as_str(), overview.users),
        ("Marram Street Vets", 6)
    );
    let entry = |title: &str| {
        let found = overview.tree.iter().find(|entry| entry.title == title);
        found.unwrap_or_else(|| panic!("no {title}"))
    };
    assert_eq!(entry("Handbook").level, 0);
    let closing = entry("Closing the clinic");
    assert_eq!((closing.level, closing.size), (1, 5));
    assert_eq!(closing.icon.as_deref(), Some("🌙"));
    assert!(entry("Rota notes 2023").is_trashed);
    assert_eq!(entry("Rota notes").comments, 2);
    assert!(entry("Untitled").size == 1);
    let equipment = entry("Equipment");
    assert!(equipment.is_database);
    assert_eq!(equipment.size, 38);
    assert!(
        overview
            .tree
            .iter()
            .all(|entry| entry.title != "Halden Medical")
    );
}

#[test]
fn databases_are_tables_of_readable_cells() {
    let mut engine = engine();
    let row = id_of(&mut engine, "Halden Medical");
    let kept = Overview::new(&engine.workspace);
    let suppliers = |overview: &Overview| {
        let mut tables = overview.tables.iter();
        let found = tables.find(|table| table.path.last().is_some_and(|it| it == "Suppliers"));
        found.unwrap().clone()
    };
    let table = suppliers(&kept);
    let names: Vec<&str> = table.columns.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "Name",
            "E-mail",
            "Phone",
            "Kind",
            "Equipment",
            "Spent",
            "Next visit"
        ]
    );
    assert_eq!(table.rows.len(), 6);
    let cells = &table.rows[0];
    assert_eq!(
        cells[..4],
        [
            "Halden Medical",
            "service@halden.example",
            "+44 1632 960101",
            "maker"
        ]
    );
    assert!(
        cells[4].contains(", ") && cells[5].parse::<f64>().is_ok(),
        "{cells:?}"
    );
    assert_eq!(cells[6].len(), "2025-01-01".len(), "{cells:?}");

    done(
        &mut engine,
        "PATCH",
        &format!("/v1/pages/{row}"),
        serde_json::json!({"in_trash": true}),
    );
    let table = suppliers(&Overview::new(&engine.workspace));
    assert_eq!(table.rows.len(), 5);
    let json = kept.to_json();
    assert_eq!(
        json["databases"].as_array().unwrap().len(),
        kept.tables.len()
    );
    assert_eq!(json["tree"].as_array().unwrap().len(), kept.tree.len());
}

#[test]
fn places_are_titles_from_the_top() {
    let workspace = engine().workspace;
    let closing = text_at(&workspace, "Handbook/Closing the clinic").unwrap();
    assert_eq!(
        closing,
        "Closing the clinic\nSharps bins checked\nKennels checked, names against the board\n\
         Controlled drugs counted by two people\nPhones on night mode\nAlarm on"
    );
    let overview = Overview::new(&workspace);
    let mut path = overview
        .tables
        .iter()
        .map(|table| table.path.join("/"))
        .find(|path| path.ends_with("Suppliers"))
        .unwrap();
    let suppliers = text_at(&workspace, &path).unwrap();
    assert!(
        suppliers.lines().any(|line| line == "dealer"),
        "{suppliers}"
    );
    path.push_str("/Halden Medical");
    let row = text_at(&workspace, &path).unwrap();
    assert!(row.contains("Phone: +44 1632 960101\nKind: maker"), "{row}");
    for place in [
        "",
        "Handbook/",
        "Nothing",
        "Handbook/Rota notes 2023",
        "Handbook/Closing",
    ] {
        assert_eq!(text_at(&workspace, place), None, "{place:?}");
    }
}
