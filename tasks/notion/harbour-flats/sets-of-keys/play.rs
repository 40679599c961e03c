//! Reads the notes in the order of their days and follows each set, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    RowsBackwards,
    ColumnsLater,
    LostToo,
    AsCounted,
    StillOut,
    AsNoted,
}

#[derive(Default)]
struct Set {
    flat: String,
    holder: &'static str,
    since: Option<Date>,
    front: bool,
    lost: bool,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let minutes = notion.find("page", "2026-03-09");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(minutes.iter().any(|it| it.contains("Sets of keys")));
    let found = notion.all("API-post-search", &json!({"query": "Key"}));
    let page = |title: &str| {
        let page = found.iter().find(|it| title_of(it) == title);
        string(&page.expect("there is such a page")["id"]).to_owned()
    };
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    let counted = date(2026, 2, 1);
    let board = notion.lines(&page("Key board, 1 February 2026"));
    let given = notion.lines(&page("Keys given out"));
    let lost = notion.lines(&page("Keys lost and found"));
    for line in board.iter().filter(|it| it.starts_with("K-")) {
        let (number, rest) = line.split_once(", ").expect("a set has a flat");
        let set = Set {
            flat: flat(rest),
            holder: "office",
            since: Some(counted),
            front: rest.contains("front door"),
            lost: false,
        };
        sets.insert(number.to_owned(), set);
    }
    for line in given.iter().filter(|it| it.contains("K-")) {
        let (day, rest) = line.split_once(": ").expect("a note has a day");
        let number = &rest[..4];
        if manner == Manner::AsCounted
            && sets.get(number).is_some_and(|it| it.since == Some(counted))
        {
            continue;
        }
        if manner == Manner::StillOut && rest.contains("is back") {
            continue;
        }
        let set = sets.entry(number.to_owned()).or_default();
        if let Some(described) = rest.strip_prefix(&format!("{number}, ")) {
            set.flat = flat(described);
            set.front = described.contains("front door");
        }
        set.since = Some(read_day(day));
        set.holder = match rest {
            rest if rest.contains("back on the board") => "office",
            rest if rest.contains("caretaker") => "caretaker",
            rest if rest.contains("to the tenant") => "tenant",
            _ => "firm",
        };
    }
    for line in &lost {
        let set = sets.entry(line[..4].to_owned()).or_default();
        if line.contains("Gone for good") {
            set.lost = true;
            let place = line[6..].split(": ").next();
            place.unwrap_or_default().clone_into(&mut set.flat);
        }
        if line.contains("does not open the front door") && manner != Manner::AsNoted {
            set.front = false;
        }
    }
    if manner == Manner::LostToo {
        let set = sets.get_mut("K-05").expect("it is on the list");
        (set.lost, set.holder, set.since) = (false, "tenant", Some(date(2026, 1, 3)));
    }
    sets.retain(|_, set| !set.lost);
    write(&mut notion, &page("Keys"), &sets, manner);
    format!("{} sets are in the table.", sets.len())
}

fn write(notion: &mut NotionTools<'_>, page: &str, sets: &BTreeMap<String, Set>, manner: Manner) {
    let table = notion.find("database", "Flats");
    let flats = notion.rows(string(&table["id"]));
    let flats: BTreeMap<String, &str> = flats
        .iter()
        .map(|it| (title_of(it), string(&it["id"])))
        .collect();
    let options = ["office", "caretaker", "tenant", "firm"].map(|name| json!({"name": name}));
    let relation =
        json!({"database_id": table["id"], "type": "single_property", "single_property": {}});
    let columns = json!({
        "Flat": {"relation": relation},
        "Holder": {"select": {"options": options}},
        "Since": {"date": {}},
        "Front door": {"checkbox": {}},
    });
    let later = manner == Manner::ColumnsLater;
    let mut properties = json!({"Set": {"title": {}}});
    if !later {
        for (name, column) in columns.as_object().expect("columns have names") {
            properties[name] = column.clone();
        }
    }
    let made = notion.call(
        "API-create-a-database",
        &json!({
            "parent": {"type": "page_id", "page_id": page},
            "title": rich_text("Sets of keys"),
            "properties": properties,
        }),
    );
    let id = string(&made["id"]);
    if later {
        let arguments = json!({"database_id": id, "properties": columns});
        notion.call("API-update-a-database", &arguments);
    }
    let mut all: Vec<(&String, &Set)> = sets.iter().collect();
    if manner == Manner::RowsBackwards {
        all.reverse();
    }
    for (number, set) in all {
        let values = json!({
            "Flat": {"relation": [{"id": flats[&set.flat]}]},
            "Holder": {"select": {"name": set.holder}},
            "Since": {"date": {"start": set.since.map(|it| it.to_string())}},
            "Front door": {"checkbox": set.front},
        });
        let mut properties = json!({"Set": {"title": rich_text(number)}});
        if !later {
            for (name, value) in values.as_object().expect("values have names") {
                properties[name] = value.clone();
            }
        }
        let arguments = json!({"parent": {"database_id": id}, "properties": properties});
        let row = notion.call("API-post-page", &arguments);
        if later {
            notion.set(string(&row["id"]), values);
        }
    }
}

/// Returns the title of the flat at the beginning of a text.
fn flat(text: &str) -> String {
    let parts: Vec<&str> = text.split(", ").take(2).collect();
    parts.join(", ")
}

fn read_day(text: &str) -> Date {
    let parts: Vec<&str> = text.split(' ').collect();
    let [day, month, year] = parts.as_slice() else {
        panic!("{text} is no day")
    };
    let month = match *month {
        "January" => 1,
        "February" => 2,
        "March" => 3,
        "October" => 10,
        _ => 11,
    };
    date(
        year.parse().expect("a year"),
        month,
        day.parse().expect("a day"),
    )
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
