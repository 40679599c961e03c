//! Worlds: the shipped one, and errors of broken ones.

use mcpmark_notion::model::Kind;
use mcpmark_notion::world;

use crate::support::{Documents, engine, open, shipped};

#[test]
fn the_shipped_world_is_canonical() {
    let (documents, engine) = (shipped(), engine());
    let written = world::write(&engine.workspace);
    let names = |all: &Documents| all.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&written), names(&documents));
    for ((path, written), (_, read)) in written.iter().zip(&documents) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        assert_eq!(text(written), text(read), "{path}");
    }
}

#[test]
fn the_shipped_world_has_pages_and_rows() {
    let workspace = engine().workspace;
    let pages = workspace
        .nodes
        .values()
        .filter(|node| matches!(node.kind, Kind::Page(_)));
    assert!(pages.count() >= 60);
    let rows = workspace.nodes.values().filter_map(|node| match node.kind {
        Kind::Database(_) => Some(node.children.len()),
        _ => None,
    });
    assert!(rows.max().is_some_and(|rows| rows >= 30));
}

/// Opens the shipped world with one text replaced in the document that contains it. Returns the error.
fn broken(from: &str, to: &str) -> String {
    let mut documents = shipped();
    let document = documents
        .iter_mut()
        .find(|(_, bytes)| String::from_utf8_lossy(bytes).contains(from));
    let (path, bytes) = document.unwrap_or_else(|| panic!("no document has {from:?}"));
    let name = path.split('/').next().unwrap().to_owned();
    *bytes = String::from_utf8_lossy(bytes)
        .replacen(from, to, 1)
        .into_bytes();
    let error = open(&documents).map(drop).unwrap_err().to_string();
    assert!(error.starts_with(&name), "{error}");
    let (file, rest) = error.split_once(": ").unwrap();
    assert!(file.ends_with(".json"), "{error}");
    rest.to_owned()
}

#[test]
fn errors_of_worlds_name_the_field() {
    let cases = [
        (
            "\"format\": 1",
            "\"format\": 2",
            "format: expected 1, found 2",
        ),
        (
            "\"name\": \"Marram Street Vets\"",
            "\"nome\": \"x\"",
            "unknown key \"nome\"",
        ),
        (
            "\"email\": \"ines@marramvets.example\"",
            "\"avatar\": 5",
            "users[0]: the key \"email\" is missing",
        ),
        (
            "\"type\": \"checkbox\"",
            "\"type\": \"place\"",
            "].type: properties of type place are not supported",
        ),
        (
            "\"Status\": \"Retired\"",
            "\"Status\": \"Lost\"",
            "values.Status: expected the name of an option, found \"Lost\"",
        ),
        (
            "\"Cost\": 4120",
            "\"Cost\": \"4120\"",
            "rows[0].values.Cost: expected a number, found a string",
        ),
        (
            "\"Bought\": \"2019-03-04\"",
            "\"Bought\": \"2019-13-04\"",
            "rows[0].values.Bought: expected a date",
        ),
        (
            "\"width\": 3",
            "\"width\": 4",
            "the row has 3 cells, but its table has 4 columns",
        ),
        (
            "\"color\": \"yellow_background\"",
            "\"color\": \"beige\"",
            "callout.color: expected a colour, found \"beige\"",
        ),
        (
            "\"heading_2\": {",
            "\"heading_9\": {",
            "expected a type of block, found \"heading_9\"",
        ),
        (
            "\"function\": \"sum\"",
            "\"function\": \"total\"",
            "function: expected a function of rollups, found \"total\"",
        ),
        (
            "\"relation\": \"eQup\"",
            "\"relation\": \"sPnt\"",
            "\"relation\" is not the id of a relation",
        ),
        (
            "\"synced\": \"eQup\"",
            "\"synced\": \"sPnt\"",
            "is not the other side of this relation",
        ),
    ];
    for (from, to, expected) in cases {
        let error = broken(from, to);
        assert!(error.contains(expected), "{from}: {error}");
    }
}

#[test]
fn documents_have_exactly_one_place() {
    let mut documents = shipped();
    let index = documents
        .iter()
        .position(|(path, _)| path.starts_with("pages/"))
        .unwrap();
    let (path, bytes) = documents.remove(index);
    let error = open(&documents).map(drop).unwrap_err().to_string();
    assert!(error.contains("no document describes the page"), "{error}");
    documents.push((path, bytes.clone()));
    documents.push(("pages/copy.json".to_owned(), bytes));
    let error = open(&documents).map(drop).unwrap_err().to_string();
    assert!(error.contains("is used twice"), "{error}");

    let mut documents = shipped();
    documents.push(("notes.txt".to_owned(), b"x".to_vec()));
    let error = open(&documents).map(drop).unwrap_err().to_string();
    assert!(
        error.starts_with("notes.txt: unknown file; expected workspace.json"),
        "{error}"
    );
    documents.retain(|(path, _)| path != "workspace.json" && path != "notes.txt");
    let error = open(&documents).map(drop).unwrap_err().to_string();
    assert_eq!(
        error,
        "workspace.json: the world has no such file, which every world of this service has"
    );
}

#[test]
fn duplicate_keys_and_bad_json_are_refused_with_the_line() {
    assert!(broken("\"format\": 1", "\"format\": 1,\n  \"format\": 1").contains("line 3"));
    assert!(broken("\"format\": 1", "\"format\": ").contains("line 2"));
}
