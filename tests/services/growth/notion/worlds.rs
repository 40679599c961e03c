//! Workspaces that grow in one dimension.

use serde_json::{Value, json};

use super::Documents;
use crate::world::Entry;

/// Number of the id of the only page at the top.
pub(super) const HOME: usize = 1;
/// Number of the id of the bot.
const BOT: usize = 2;
/// Number of the id of a database.
pub(super) const TABLE: usize = 3;
/// Number of the id of the database that is related to [`TABLE`].
pub(super) const LINKED: usize = 4;
/// First number of the ids of users, blocks, rows, rows of [`LINKED`], and comments.
pub(super) const USER: usize = 1_000_000;
pub(super) const BLOCK: usize = 2_000_000;
pub(super) const ROW: usize = 3_000_000;
pub(super) const OTHER: usize = 4_000_000;
const COMMENT: usize = 5_000_000;

/// Returns the id with a number.
pub(super) fn id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// Returns rich text of a request.
pub(super) fn plain(text: &str) -> Value {
    json!([{"text": {"content": text}}])
}

fn stamp() -> Value {
    json!({"at": "2025-01-10T09:00:00Z", "by": id(BOT)})
}

/// Returns a world with a page at the top. The blocks name the places of the other documents.
fn world(blocks: Vec<Value>, comments: Vec<Value>, others: Vec<(String, Value)>) -> Documents {
    let home = json!({
        "id": id(HOME),
        "title": "Home",
        "created": stamp(),
        "comments": comments,
        "blocks": blocks,
    });
    let bot = json!({"id": id(BOT), "name": "Helper", "bot": true});
    let mut documents = vec![("workspace.json".to_owned(), workspace(vec![bot]))];
    documents.push(("pages/home.json".to_owned(), home));
    documents.extend(others);
    written(documents)
}

fn workspace(users: Vec<Value>) -> Value {
    json!({"format": 1, "name": "Large", "bot": id(BOT), "users": users, "top": [{"page": id(HOME)}]})
}

fn written(documents: Vec<(String, Value)>) -> Documents {
    let entry = |value: Value| Entry::File(value.to_string().into_bytes());
    let documents = documents.into_iter();
    documents
        .map(|(path, value)| (path, entry(value)))
        .collect()
}

pub(super) fn users(size: usize) -> Documents {
    let person = |number: usize| {
        let email = format!("{number}@example.org");
        json!({"id": id(USER + number), "name": format!("Person {number}"), "email": email})
    };
    let mut users: Vec<Value> = (0..size).map(person).collect();
    users.push(json!({"id": id(BOT), "name": "Helper", "bot": true}));
    let home = json!({"id": id(HOME), "title": "Home", "created": stamp()});
    written(vec![
        ("workspace.json".to_owned(), workspace(users)),
        ("pages/home.json".to_owned(), home),
    ])
}

pub(super) fn blocks(size: usize) -> Documents {
    let block = |number: usize| json!({"id": id(BLOCK + number), "paragraph": {"text": format!("Paragraph {number}")}});
    world((0..size).map(block).collect(), Vec::new(), Vec::new())
}

/// Returns a page with one paragraph of many pieces, each in another style than the one before.
pub(super) fn text(size: usize) -> Documents {
    let piece = |number: usize| json!({"text": format!("piece {number} "), "bold": number.is_multiple_of(2)});
    let pieces: Vec<Value> = (0..size).map(piece).collect();
    let block = json!({"id": id(BLOCK), "paragraph": {"text": pieces}});
    world(vec![block], Vec::new(), Vec::new())
}

pub(super) fn pages(size: usize) -> Documents {
    let page = |number: usize| {
        let page = json!({
            "id": id(BLOCK + number),
            "title": format!("page {number}"),
            "created": stamp(),
        });
        (format!("pages/{number}.json"), page)
    };
    let place = |number: usize| json!({"page": id(BLOCK + number)});
    let places = (0..size).map(place).collect();
    world(places, Vec::new(), (0..size).map(page).collect())
}

pub(super) fn comments(size: usize) -> Documents {
    let comment = |number: usize| {
        json!({
            "id": id(COMMENT + number),
            "discussion": id(COMMENT + size + number / 3),
            "created": stamp(),
            "text": format!("Comment {number}"),
        })
    };
    world(Vec::new(), (0..size).map(comment).collect(), Vec::new())
}

fn database(number: usize, title: &str, properties: Value, rows: Vec<Value>) -> (String, Value) {
    let database = json!({
        "id": id(number),
        "title": title,
        "created": stamp(),
        "properties": properties,
        "rows": rows,
    });
    (format!("databases/{number}.json"), database)
}

fn name() -> Value {
    json!({"id": "title", "name": "Name", "type": "title"})
}

fn cost() -> Value {
    json!({"id": "cost", "name": "Cost", "type": "number"})
}

pub(super) fn rows(size: usize) -> Documents {
    let options = ["small", "big"].map(|name| json!({"id": name, "name": name}));
    let properties = json!([
        name(),
        cost(),
        {"id": "kind", "name": "Kind", "type": "select", "options": options},
        {"id": "numb", "name": "Number", "type": "unique_id"},
    ]);
    let row = |number: usize| {
        json!({"id": id(ROW + number), "values": {
            "Name": format!("Row {number}"),
            "Cost": number * 7 % 1_000,
            "Kind": if number.is_multiple_of(3) { "small" } else { "big" },
            "Number": number + 1,
        }})
    };
    let rows = (0..size).map(row).collect();
    let place = json!({"database": id(TABLE)});
    world(
        vec![place],
        Vec::new(),
        vec![database(TABLE, "Things", properties, rows)],
    )
}

pub(super) fn options(size: usize) -> Documents {
    let option =
        |number: usize| json!({"id": format!("o{number}"), "name": format!("Option {number}")});
    let options: Vec<Value> = (0..size).map(option).collect();
    let kind = json!({"id": "kind", "name": "Kind", "type": "select", "options": options});
    let place = json!({"database": id(TABLE)});
    let table = database(TABLE, "Things", json!([name(), kind]), Vec::new());
    world(vec![place], Vec::new(), vec![table])
}

/// Returns a row that is related to many others, with a rollup.
pub(super) fn related(size: usize) -> Documents {
    linked(1, size)
}

/// Returns as many rows as related ones, each of which is related to all others.
pub(super) fn grid(size: usize) -> Documents {
    linked(size, size)
}

fn linked(rows: usize, others: usize) -> Documents {
    let properties = json!([
        name(),
        {"id": "link", "name": "Link", "type": "relation", "database": id(LINKED), "synced": "back"},
        {"id": "totl", "name": "Total", "type": "rollup", "relation": "link", "property": "cost", "function": "sum"},
    ]);
    let ids = |first: usize, count: usize| -> Vec<String> {
        (0..count).map(|number| id(first + number)).collect()
    };
    let row = |number: usize| {
        let values = json!({"Name": format!("Row {number}"), "Link": ids(OTHER, others)});
        json!({"id": id(ROW + number), "values": values})
    };
    let table = database(TABLE, "Things", properties, (0..rows).map(row).collect());
    let properties = json!([
        name(),
        cost(),
        {"id": "back", "name": "Back", "type": "relation", "database": id(TABLE), "synced": "link"},
    ]);
    let other = |number: usize| {
        let values =
            json!({"Name": format!("Other {number}"), "Cost": number, "Back": ids(ROW, rows)});
        json!({"id": id(OTHER + number), "values": values})
    };
    let linked = database(
        LINKED,
        "Others",
        properties,
        (0..others).map(other).collect(),
    );
    let places = vec![
        json!({"database": id(TABLE)}),
        json!({"database": id(LINKED)}),
    ];
    world(places, Vec::new(), vec![table, linked])
}
