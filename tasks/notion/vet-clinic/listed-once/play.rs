//! Files everything under the supplier and the room of the others, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    RoomFirst,
    FromTheSupplier,
    DropsIt,
    RenamesIt,
    LeavesTheChoice,
    DropsTheChoice,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let list = notion.find("database", "Equipment");
    if manner == Manner::RoomFirst {
        rooms(&mut notion, &list, manner);
        suppliers(&mut notion, manner);
    } else {
        suppliers(&mut notion, manner);
        rooms(&mut notion, &list, manner);
    }
    "Each is there once.".to_owned()
}

fn suppliers(notion: &mut NotionTools<'_>, manner: Manner) {
    let table = notion.find("database", "Suppliers");
    let rows = notion.rows(string(&table["id"]));
    let things = |row: &Value| -> Vec<Value> {
        let related = row["properties"]["Equipment"]["relation"].as_array();
        related.cloned().unwrap_or_default()
    };
    // Two rows whose names differ by blanks or case are one supplier.
    let key = |row: &Value| title_of(row).trim().to_lowercase();
    let mut twins: Vec<&Value> = rows
        .iter()
        .filter(|row| rows.iter().filter(|other| key(other) == key(row)).count() > 1)
        .collect();
    twins.sort_by_key(|row| things(row).len());
    let [wrong, right] = twins.as_slice() else {
        panic!("{} suppliers are there twice", twins.len())
    };
    let (wrong_id, right_id) = (string(&wrong["id"]), string(&right["id"]));
    match manner {
        Manner::DropsIt => {}
        Manner::RenamesIt => {
            let name = title_of(right);
            notion.set(wrong_id, json!({"Name": {"title": rich_text(&name)}}));
            return;
        }
        Manner::FromTheSupplier => {
            let all = [things(right), things(wrong)].concat();
            notion.set(right_id, json!({"Equipment": {"relation": all}}));
            notion.set(wrong_id, json!({"Equipment": {"relation": []}}));
        }
        _ => {
            for thing in things(wrong) {
                let supplier = json!([{"id": right_id}]);
                notion.set(
                    string(&thing["id"]),
                    json!({"Supplier": {"relation": supplier}}),
                );
            }
        }
    }
    match manner {
        Manner::FromTheSupplier => {
            notion.call("API-delete-a-block", &json!({"block_id": wrong_id}));
        }
        _ => {
            let arguments = json!({"page_id": wrong_id, "archived": true});
            notion.call("API-patch-page", &arguments);
        }
    }
}

fn rooms(notion: &mut NotionTools<'_>, list: &Value, manner: Manner) {
    let id = string(&list["id"]);
    let options = list["properties"]["Room"]["select"]["options"].as_array();
    let options = options.cloned().unwrap_or_default();
    let same = |one: &Value, other: &Value| {
        one["id"] != other["id"]
            && string(&one["name"]).to_lowercase() == string(&other["name"]).to_lowercase()
    };
    let twins: Vec<&Value> = options
        .iter()
        .filter(|one| options.iter().any(|other| same(one, other)))
        .collect();
    let [first, second] = twins.as_slice() else {
        panic!("{} rooms are there twice", twins.len())
    };
    let mut filed = |room: &Value| {
        let filter = json!({"property": "Room", "select": {"equals": room["name"]}});
        notion.query(id, filter)
    };
    let (of_first, of_second) = (filed(first), filed(second));
    let (wrong, right, rows) = if of_first.len() < of_second.len() {
        (first, second, of_first)
    } else {
        (second, first, of_second)
    };
    if manner != Manner::DropsTheChoice {
        for row in rows {
            let room = json!({"select": {"name": right["name"]}});
            notion.set(string(&row["id"]), json!({"Room": room}));
        }
    }
    if manner != Manner::LeavesTheChoice {
        let kept = options.iter().filter(|it| it["id"] != wrong["id"]);
        let kept: Vec<Value> = kept
            .map(|it| json!({"id": it["id"], "name": it["name"]}))
            .collect();
        let properties = json!({"Room": {"select": {"options": kept}}});
        let arguments = json!({"database_id": id, "properties": properties});
        notion.call("API-update-a-database", &arguments);
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
