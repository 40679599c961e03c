//! Reads the minutes of the meetings and fills in the keepers, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    JanuaryFirst,
    WholeList,
    DecemberStore,
    RetiredToo,
    InUseOnly,
    RoomsDecide,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let found = notion.all("API-post-search", &json!({"query": "team meeting"}));
    let mut meetings: Vec<(String, String)> = found
        .iter()
        .map(|it| (title_of(it), string(&it["id"])))
        .collect();
    meetings.sort();
    if manner == Manner::JanuaryFirst {
        meetings.reverse();
    }
    let mut minutes: Vec<(String, Vec<String>)> = meetings
        .into_iter()
        .map(|(title, id)| (title, notion.lines(&id)))
        .collect();
    minutes.sort();
    let lines = minutes.iter().flat_map(|(_, lines)| lines);
    let rooms = keepers_of_rooms(lines, manner == Manner::DecemberStore);

    let list = notion.find("database", "Equipment");
    let id = string(&list["id"]);
    let empty = json!({"property": "Keeper", "people": {"is_empty": true}});
    let mut rows = match manner {
        Manner::WholeList | Manner::RoomsDecide => notion.rows(&id),
        _ => notion.query(&id, empty),
    };
    let users: BTreeMap<String, String> = notion.users().into_iter().collect();
    if manner == Manner::JanuaryFirst {
        rows.reverse();
    }
    let mut count = 0;
    for row in &rows {
        let properties = &row["properties"];
        let has_keeper = properties["Keeper"]["people"].get(0).is_some();
        let status = &properties["Status"]["status"]["name"];
        let is_left = match manner {
            Manner::RoomsDecide => status == "Retired",
            Manner::RetiredToo => has_keeper,
            Manner::InUseOnly => has_keeper || status != "In use",
            _ => has_keeper || status == "Retired",
        };
        let room = string(&properties["Room"]["select"]["name"]).to_lowercase();
        let keeper = rooms.get(&room).and_then(|first| {
            let mut names = users.iter();
            names.find(|(name, _)| name.split(' ').next() == Some(first))
        });
        let Some((_, keeper)) = keeper.filter(|_| !is_left) else {
            continue;
        };
        let property = match manner {
            Manner::WholeList => string(&properties["Keeper"]["id"]),
            _ => "Keeper".to_owned(),
        };
        notion.set(
            &string(&row["id"]),
            json!({property: {"people": [{"id": keeper}]}}),
        );
        count += 1;
    }
    format!("{count} items have a keeper now.")
}

/// Returns the first name of the keeper of each room, in lower case, by the sentences of the minutes.
fn keepers_of_rooms<'a>(
    lines: impl Iterator<Item = &'a String>,
    only_december: bool,
) -> BTreeMap<String, String> {
    let mut rooms = BTreeMap::new();
    for line in lines {
        if let Some((_, list)) = line.split_once("the keeper of the room: ") {
            for part in list.trim_end_matches('.').split(", ") {
                let (places, name) = part.rsplit_once(' ').expect("a room and a name");
                for place in places.split(" and ") {
                    let names = match place {
                        "both consulting rooms" => {
                            vec!["consult 1".to_owned(), "consult 2".to_owned()]
                        }
                        place => vec![place.to_lowercase()],
                    };
                    rooms.extend(names.into_iter().map(|it| (it, name.to_owned())));
                }
            }
        } else if let Some((room, rest)) = line.split_once(": ")
            && let Some((name, _)) = rest.split_once(" takes it over")
            && !only_december
        {
            rooms.insert(room.to_lowercase(), name.to_owned());
        }
    }
    rooms
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
