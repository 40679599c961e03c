//! Reads the numbers in the notes and links the scenes, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    ScenesFirst,
    FromTheScenes,
    AllBlue,
    AllWhite,
    DroppedToo,
    KeepsHired,
}

/// Scene of the table.
struct Scene {
    id: String,
    dropped: bool,
    props: Vec<Value>,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "Props and their scenes");
    let rules = notion.lines(string(&rules["id"]));
    assert!(
        rules
            .iter()
            .any(|it| it.contains("before 27 April are white"))
    );
    let shifts = shifts(&mut notion);
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let empty = json!({"property": "Scenes", "relation": {"is_empty": true}});
    let (scenes, mut lost);
    if manner == Manner::ScenesFirst {
        scenes = read_scenes(&mut notion, &table("Scenes"));
        lost = notion.query(&table("Props"), empty);
        lost.reverse();
    } else {
        lost = notion.query(&table("Props"), empty);
        scenes = read_scenes(&mut notion, &table("Scenes"));
    }
    let mut on_scenes: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
    let mut count = 0;
    for prop in &lost {
        let properties = &prop["properties"];
        let note = plain(&properties["Note"]["rich_text"]);
        let Some(numbers) = note.strip_prefix("sc. ") else {
            continue;
        };
        let is_white = match manner {
            Manner::AllBlue => false,
            Manner::AllWhite => true,
            _ => string(&properties["Noted"]["date"]["start"]) < "2026-04-27",
        };
        let numbers = numbers
            .split(" and ")
            .map(|it| it.parse::<u32>().expect("a number"));
        let mut blue: Vec<u32> = numbers
            .map(|it| {
                if is_white {
                    it + shift(&shifts, it)
                } else {
                    it
                }
            })
            .collect();
        blue.retain(|it| scenes.contains_key(it));
        blue.retain(|it| !scenes[it].dropped || manner == Manner::DroppedToo);
        count += 1;
        if blue.is_empty() {
            if manner != Manner::KeepsHired {
                let status = json!({"Status": {"status": {"name": "Not needed"}}});
                notion.set(string(&prop["id"]), status);
            }
        } else if manner == Manner::FromTheScenes {
            for number in blue {
                on_scenes
                    .entry(number)
                    .or_default()
                    .push(json!({"id": prop["id"]}));
            }
        } else {
            let links: Vec<Value> = blue.iter().map(|it| json!({"id": scenes[it].id})).collect();
            notion.set(string(&prop["id"]), json!({"Scenes": {"relation": links}}));
        }
    }
    for (number, props) in on_scenes {
        let scene = &scenes[&number];
        let links = [scene.props.clone(), props].concat();
        notion.set(&scene.id, json!({"Props": {"relation": links}}));
    }
    format!("{count} props are mended.")
}

fn read_scenes(notion: &mut NotionTools<'_>, table: &str) -> BTreeMap<u32, Scene> {
    let rows = notion.rows(table);
    let scenes = rows.iter().map(|row| {
        let number = title_of(row)[..3].parse().expect("a scene has a number");
        let properties = &row["properties"];
        let props = properties["Props"]["relation"].as_array().cloned();
        let scene = Scene {
            id: string(&row["id"]).to_owned(),
            dropped: properties["Status"]["status"]["name"] == "Dropped",
            props: props.unwrap_or_default(),
        };
        (number, scene)
    });
    scenes.collect()
}

/// Reads how much the white numbers from a number on have moved.
fn shifts(notion: &mut NotionTools<'_>) -> Vec<(u32, u32)> {
    let page = notion.find("page", "Script changes");
    let blocks = notion.children(string(&page["id"]));
    let table = blocks.iter().find(|it| it["type"] == "table");
    let rows = notion.children(string(&table.expect("the page has a table")["id"]));
    let rows = rows.iter().skip(1).map(|row| {
        let cells = &row["table_row"]["cells"];
        let (white, moved) = (plain(&cells[0]), plain(&cells[1]));
        let from = white.split(' ').next().and_then(|it| it.parse().ok());
        let moved = match moved.as_str() {
            "the same" => 0,
            "one more" => 1,
            "two more" => 2,
            other => panic!("{other} is not understood"),
        };
        (from.expect("a number"), moved)
    });
    rows.collect()
}

fn shift(shifts: &[(u32, u32)], number: u32) -> u32 {
    let before = shifts.iter().rev().find(|(from, _)| *from <= number);
    before.map_or(0, |(_, moved)| *moved)
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
