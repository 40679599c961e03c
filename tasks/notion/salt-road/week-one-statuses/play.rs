//! Follows each scene through reports and comments, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    LastDayFirst,
    WholeTable,
    ReportsAlone,
    AnybodyDecides,
    KeepsDays,
    NoPickUps,
    DroppedUnplanned,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "Statuses of scenes");
    let rules = notion.lines(string(&rules["id"]));
    assert!(
        rules
            .iter()
            .any(|it| it.contains("only Sunniva drops a scene"))
    );
    let director = notion
        .users()
        .into_iter()
        .find(|(name, _)| name.starts_with("Sunniva"));
    let (_, director) = director.expect("there is a director");

    let mut statuses: BTreeMap<String, &'static str> = BTreeMap::new();
    let found = notion.all("API-post-search", &json!({"query": "Wrap report, Day"}));
    let mut reports: Vec<(String, String)> = found
        .iter()
        .map(|it| (title_of(it), string(&it["id"]).to_owned()))
        .collect();
    reports.sort();
    for (_, report) in &reports {
        read(&mut notion, report, &mut statuses, manner);
    }

    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let filter = json!({"property": "Date", "date": {"before": "2026-05-08"}});
    let days = notion.query(&table("Shooting days"), filter);
    let days: Vec<&str> = days.iter().map(|it| string(&it["id"])).collect();
    let mut scenes = match manner {
        Manner::WholeTable => notion.rows(&table("Scenes")),
        _ => {
            let any: Vec<Value> = days
                .iter()
                .map(|id| json!({"property": "Day", "relation": {"contains": id}}))
                .collect();
            notion.query(&table("Scenes"), json!({"or": any}))
        }
    };
    scenes.retain(|it| days.contains(&string(&it["properties"]["Day"]["relation"][0]["id"])));
    if manner == Manner::LastDayFirst {
        scenes.reverse();
    }
    let mut count = 0;
    for scene in &scenes {
        let mut status = *statuses
            .get(&title_of(scene)[..3])
            .unwrap_or(&"To schedule");
        if manner != Manner::ReportsAlone {
            for comment in notion.comments(string(&scene["id"])) {
                status = decided(&comment, status, &director, manner);
            }
        }
        count += usize::from(write(&mut notion, scene, status, manner));
    }
    format!("{count} scenes have changed.")
}

/// Reads what a report says about scenes. A later report counts more.
fn read(
    notion: &mut NotionTools<'_>,
    report: &str,
    statuses: &mut BTreeMap<String, &'static str>,
    manner: Manner,
) {
    let mut part = String::new();
    for block in notion.children(report) {
        let kind = string(&block["type"]);
        let text = plain(&block[kind]["rich_text"]);
        match (kind, part.as_str()) {
            ("heading_2", _) => part = text,
            (_, "Shot") => {
                statuses.insert(text[..3].to_owned(), "Shot");
            }
            (_, "Not finished") => {
                let status = if text.contains("not begun") {
                    "To schedule"
                } else {
                    "Part shot"
                };
                statuses.insert(text[..3].to_owned(), status);
            }
            (_, "Remarks") if manner != Manner::NoPickUps => {
                let picked = text
                    .split_once("close-up for ")
                    .filter(|_| text.contains("complete"));
                if let Some((_, rest)) = picked {
                    statuses.insert(rest[..3].to_owned(), "Shot");
                }
            }
            _ => {}
        }
    }
}

fn decided(comment: &Value, status: &'static str, director: &str, manner: Manner) -> &'static str {
    let text = plain(&comment["rich_text"]);
    let may_decide = comment["created_by"]["id"] == director || manner == Manner::AnybodyDecides;
    if text.contains("The lab rang") {
        return "Part shot";
    }
    let drops = text.contains("drop this") || text.contains("drop it");
    let completes = text.contains("is complete") || text.contains("Call it done");
    match (may_decide, drops, completes) {
        (true, true, _) => "Dropped",
        (true, _, true) => "Shot",
        _ => status,
    }
}

/// Writes what differs, and returns whether anything did.
fn write(notion: &mut NotionTools<'_>, scene: &Value, status: &str, manner: Manner) -> bool {
    let id = string(&scene["id"]);
    let differs = scene["properties"]["Status"]["status"]["name"] != status;
    let status_value = json!({"status": {"name": status}});
    let is_off = match status {
        "To schedule" => manner != Manner::KeepsDays,
        "Dropped" => manner == Manner::DroppedUnplanned,
        _ => false,
    };
    let no_day = json!({"relation": []});
    match (differs, is_off) {
        (true, true) if manner == Manner::WholeTable => {
            notion.set(id, json!({"Day": no_day}));
            notion.set(id, json!({"Status": status_value}));
        }
        (true, true) => {
            notion.set(id, json!({"Status": status_value, "Day": no_day}));
        }
        (true, false) => {
            notion.set(id, json!({"Status": status_value}));
        }
        (false, true) => {
            notion.set(id, json!({"Day": no_day}));
        }
        (false, false) => return false,
    }
    true
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
