//! Lists the places whose permit is not enough for the week, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    PageFirst,
    PlaceByPlace,
    OtherWords,
    LastDay,
    AgreedCounts,
    DroppedToo,
    AlreadyTicked,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut list = None;
    if manner == Manner::PageFirst {
        list = Some(list_of(&mut notion));
    }
    let rules = notion.find("page", "Permits");
    let rules = notion.lines(string(&rules["id"]));
    assert!(
        rules
            .iter()
            .any(|it| it.contains("the day after our last day"))
    );
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let from = json!({"property": "Date", "date": {"on_or_after": "2026-05-18"}});
    let until = json!({"property": "Date", "date": {"on_or_before": "2026-05-22"}});
    let days = notion.query(&table("Shooting days"), json!({"and": [from, until]}));
    let dates: BTreeMap<&str, Date> = days
        .iter()
        .map(|it| (string(&it["id"]), day_of(it, "Date")))
        .collect();
    let any: Vec<Value> = dates
        .keys()
        .map(|id| json!({"property": "Day", "relation": {"contains": id}}))
        .collect();
    let scenes = notion.query(&table("Scenes"), json!({"or": any}));
    let mut last: BTreeMap<String, Date> = BTreeMap::new();
    for scene in &scenes {
        let properties = &scene["properties"];
        if properties["Status"]["status"]["name"] == "Dropped" && manner != Manner::DroppedToo {
            continue;
        }
        let day = dates[string(&properties["Day"]["relation"][0]["id"])];
        let place = string(&properties["Place"]["relation"][0]["id"]).to_owned();
        let known = last.entry(place).or_insert(day);
        *known = day.max(*known);
    }
    let places: Vec<Value> = if manner == Manner::PlaceByPlace {
        let pages = last
            .keys()
            .map(|id| notion.call("API-retrieve-a-page", &json!({"page_id": id})));
        pages.collect()
    } else {
        notion.rows(&table("Places"))
    };
    let mut lines = Vec::new();
    for place in &places {
        if let Some(day) = last.get(string(&place["id"])) {
            lines.extend(line(place, *day, manner));
        }
    }
    lines.sort();
    let list = list.unwrap_or_else(|| list_of(&mut notion));
    let mut blocks: Vec<Value> = lines.iter().map(|it| block("to_do", it)).collect();
    if manner == Manner::AlreadyTicked {
        for it in &mut blocks {
            it["to_do"]["checked"] = json!(true);
        }
    }
    let count = blocks.len();
    if manner == Manner::PlaceByPlace {
        for it in blocks {
            notion.append(&list, vec![it]);
        }
    } else {
        notion.append(&list, blocks);
    }
    format!("{count} places are on the list.")
}

/// Returns the id of the list after a look at it.
fn list_of(notion: &mut NotionTools<'_>) -> String {
    let page = notion.find("page", "Permits to chase");
    let page = string(&page["id"]).to_owned();
    notion.children(&page);
    page
}

/// Returns the line of a place, unless its permit is enough.
fn line(place: &Value, last: Date, manner: Manner) -> Option<String> {
    let properties = &place["properties"];
    if properties["Kind"]["select"]["name"] == "Stage" {
        return None;
    }
    let name = title_of(place);
    let status = string(&properties["Permit"]["status"]["name"]);
    let long = manner == Manner::OtherWords;
    let is_agreed = status == "Agreed" && manner == Manner::AgreedCounts;
    if status != "Signed" && !is_agreed {
        return Some(if long {
            format!("{name} - there is no signature on the permit, they have only agreed to it")
        } else {
            format!("{name}: not signed")
        });
    }
    let until = day_of(place, "Permit until");
    let need = match manner {
        Manner::LastDay => last,
        _ => last.saturating_add(1.day()),
    };
    let shown = until.strftime("%-d %B");
    (until < need).then(|| {
        if long {
            format!(
                "{name} - the permit ends on {}, one day too early",
                until.strftime("%A, %-d %B %Y")
            )
        } else {
            format!("{name}: runs out on {shown}")
        }
    })
}

fn day_of(row: &Value, property: &str) -> Date {
    let day = string(&row["properties"][property]["date"]["start"]);
    day.parse().unwrap_or(date(2026, 1, 1))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
