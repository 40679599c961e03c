//! Writes the report of Day 05 from its row and the comments, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, plain, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    TableFirst,
    HeadingByHeading,
    SaysWhy,
    FirstTime,
    FromTen,
    AllShot,
    ReportAlone,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let found = notion.all("API-post-search", &json!({"query": "rap report"}));
    let pages: Vec<(String, &str)> = found
        .iter()
        .map(|it| (title_of(it), string(&it["id"])))
        .collect();
    let (_, last) = pages
        .iter()
        .find(|(title, _)| title.ends_with("Day 04"))
        .expect("a report");
    let parts: Vec<String> = notion
        .children(last)
        .iter()
        .filter(|it| it["type"] == "heading_2")
        .map(|it| plain(&it["heading_2"]["rich_text"]))
        .collect();
    // Two pages have this title: the chapter of the handbook, and the one with the reports below.
    let mut parent = String::new();
    for (_, id) in pages.iter().filter(|(title, _)| title == "Wrap reports") {
        let lines = notion.lines(id);
        if lines.iter().any(|it| it.contains("Day 04")) {
            parent = (*id).to_owned();
        } else {
            assert!(
                lines
                    .iter()
                    .any(|it| it.contains("eleven hours after the call"))
            );
        }
    }
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let filter = json!({"property": "Day", "title": {"equals": "Day 05"}});
    let day = notion.query(&table("Shooting days"), filter).remove(0);
    let comments = notion.comments(string(&day["id"]));
    let comments: Vec<String> = comments.iter().map(|it| plain(&it["rich_text"])).collect();
    let planned = json!({"property": "Day", "relation": {"contains": day["id"]}});
    let scenes = notion.query(&table("Scenes"), planned);
    let mut scenes: Vec<String> = scenes.iter().map(title_of).collect();
    scenes.sort();

    let call = plain(&day["properties"]["Call"]["rich_text"]);
    let wrap = match manner {
        Manner::FirstTime => comments.iter().find_map(|it| time_in(it)),
        _ => comments.iter().rev().find_map(|it| time_in(it)),
    };
    let wrap = wrap.expect("somebody wrote when they wrapped");
    let hours = if manner == Manner::FromTen { 10 } else { 11 };
    let overtime = minutes(&wrap) - minutes(&call) - hours * 60;
    let is_open = |scene: &String| {
        let text = comments[0]
            .find("lost the light")
            .zip(comments[0].find(&scene[..3]));
        text.is_some_and(|(lost, number)| number < lost && lost - number < 6)
            && manner != Manner::AllShot
    };
    if manner == Manner::TableFirst {
        enter(&mut notion, &day, &wrap);
    }
    let long = manner == Manner::SaysWhy;
    let mut blocks = Vec::new();
    for part in &parts {
        let mut all = vec![block("heading_2", part)];
        match part.as_str() {
            "Shot" => all.extend(
                scenes
                    .iter()
                    .filter(|it| !is_open(it))
                    .map(|it| block("bulleted_list_item", it)),
            ),
            "Not finished" => all.extend(scenes.iter().filter(|it| is_open(it)).map(|it| {
                let reason = if long { ": the light was gone" } else { "" };
                block("bulleted_list_item", &format!("{it}{reason}"))
            })),
            "Times" if long => {
                all.push(block("bulleted_list_item", &format!("Call at {call}")));
                all.push(block("bulleted_list_item", &format!("Wrap at {wrap}")));
                all.push(block(
                    "bulleted_list_item",
                    &format!("{overtime} min of overtime"),
                ));
            }
            "Times" => all.push(block(
                "paragraph",
                &format!("Call {call}, wrap {wrap}, overtime {overtime} minutes"),
            )),
            _ if long => all.push(block("paragraph", "Tobias fills this in.")),
            _ => {}
        }
        blocks.push(all);
    }
    write(&mut notion, &parent, blocks, manner);
    if ![Manner::TableFirst, Manner::ReportAlone].contains(&manner) {
        enter(&mut notion, &day, &wrap);
    }
    "The report of Day 05 is there.".to_owned()
}

fn write(notion: &mut NotionTools<'_>, parent: &str, blocks: Vec<Vec<Value>>, manner: Manner) {
    let title = json!({"title": {"title": rich_text("Wrap report, Day 05")}});
    let mut page = json!({"parent": {"page_id": parent}, "properties": title});
    if manner == Manner::HeadingByHeading {
        let page = notion.call("API-post-page", &page);
        for part in blocks {
            notion.append(string(&page["id"]), part);
        }
        return;
    }
    page["children"] = blocks.concat().into();
    notion.call("API-post-page", &page);
}

fn enter(notion: &mut NotionTools<'_>, day: &Value, wrap: &str) {
    notion.set(
        string(&day["id"]),
        json!({"Wrap": {"rich_text": rich_text(wrap)}}),
    );
}

/// Returns the first time of day in a text.
fn time_in(text: &str) -> Option<String> {
    let mut words = text.split([' ', ',', '.']);
    words
        .find(|it| it.len() == 5 && it.as_bytes()[2] == b':')
        .map(str::to_owned)
}

fn minutes(time: &str) -> i32 {
    let (hours, minutes) = time.split_once(':').expect("a time");
    let number = |it: &str| it.parse::<i32>().expect("a number");
    number(hours) * 60 + number(minutes)
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
