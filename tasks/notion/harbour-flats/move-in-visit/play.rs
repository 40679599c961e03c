//! Plans the visit and ticks it off, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, rich_text, title_of};

const FLAT: &str = "Lantern Court, flat 3";

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    PageFirst,
    ValuesLater,
    MoreWords,
    RunaGoes,
    WholeDay,
    TableAlone,
    TicksAll,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "Moving in");
    let rules = notion.lines(string(&rules["id"]));
    assert!(
        rules
            .iter()
            .any(|it| it.contains("at eleven on the first day"))
    );
    let duties = notion.find("page", "Who does what");
    let duties = notion.lines(string(&duties["id"]));
    let owner = duties
        .iter()
        .find(|it| it.contains("Lantern Court"))
        .expect("somebody has it");
    let (owner, _) = owner.split_once(':').expect("a name");
    let moves = notion.all("API-post-search", &json!({"query": "moving in"}));
    let page = moves
        .iter()
        .find(|it| title_of(it) == format!("{FLAT}: moving in"));
    let page = page.expect("the move has a page");
    let blocks = notion.children(string(&page["id"]));
    let day = first_day(&plain(&blocks[0]["paragraph"]["rich_text"]));
    let who = match manner {
        Manner::RunaGoes => owner.to_owned(),
        _ => stand_in(&mut notion, owner, day).unwrap_or_else(|| owner.to_owned()),
    };
    if manner == Manner::PageFirst {
        tick(&mut notion, &blocks, day, &who, manner);
    }
    plan(&mut notion, day, &who, manner);
    if ![Manner::PageFirst, Manner::TableAlone].contains(&manner) {
        tick(&mut notion, &blocks, day, &who, manner);
    }
    format!("The visit is planned for {day}.")
}

/// Adds the visit to the table.
fn plan(notion: &mut NotionTools<'_>, day: Date, who: &str, manner: Manner) {
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let visits = table("Inspections");
    let like = json!({"property": "Kind", "select": {"equals": "move-in"}});
    let pattern = notion.query(&visits, like);
    assert!(
        pattern
            .iter()
            .all(|it| title_of(it).starts_with("Move-in: "))
    );
    let flat = json!({"property": "Flat", "title": {"equals": FLAT}});
    let flats = notion.query(&table("Flats"), flat);
    let users = notion.users();
    let user = users.iter().find(|(name, _)| name == who).expect("a user");
    let start = match manner {
        Manner::WholeDay => day.to_string(),
        _ => format!("{day}T11:00:00.000+00:00"),
    };
    let values = json!({
        "Flat": {"relation": [{"id": flats[0]["id"]}]},
        "Kind": {"select": {"name": "move-in"}},
        "Date": {"date": {"start": start}},
        "Result": {"status": {"name": "Planned"}},
        "Inspector": {"people": [{"id": user.1}]},
    });
    let mut properties = json!({"Visit": {"title": rich_text(&format!("Move-in: {FLAT}"))}});
    if manner != Manner::ValuesLater {
        for (name, value) in values.as_object().expect("values have names") {
            properties[name] = value.clone();
        }
    }
    let row = notion.call(
        "API-post-page",
        &json!({"parent": {"database_id": visits}, "properties": properties}),
    );
    if manner == Manner::ValuesLater {
        notion.set(string(&row["id"]), values);
    }
}

/// Ticks off the visit on the page of the move, with its day.
fn tick(notion: &mut NotionTools<'_>, blocks: &[Value], day: Date, who: &str, manner: Manner) {
    for block in blocks {
        let text = plain(&block["to_do"]["rich_text"]);
        let is_visit = text == "Move-in visit";
        if !is_visit && (manner != Manner::TicksAll || text.is_empty()) {
            continue;
        }
        let day = day.strftime("%-d %B 2026");
        let text = match (is_visit, manner) {
            (false, _) => text,
            (true, Manner::MoreWords) => format!("{text} (planned: {day} at 11:00, with {who})"),
            (true, _) => format!("{text}: {day}"),
        };
        let to_do = json!({"rich_text": rich_text(&text), "checked": true});
        let arguments = json!({"block_id": block["id"], "to_do": to_do});
        notion.call("API-update-a-block", &arguments);
    }
}

/// Returns who does the work of somebody on a day, by the minutes.
fn stand_in(notion: &mut NotionTools<'_>, owner: &str, day: Date) -> Option<String> {
    let meetings = notion.all("API-post-search", &json!({"query": "2026-0"}));
    let mut minutes: Vec<(String, String)> = meetings
        .iter()
        .map(|it| (title_of(it), string(&it["id"]).to_owned()))
        .collect();
    minutes.sort();
    let first = owner.split(' ').next()?;
    for (_, id) in minutes.into_iter().rev() {
        for line in notion.lines(&id) {
            let Some((_, rest)) = line.split_once(&format!("{first} is away from ")) else {
                continue;
            };
            let words: Vec<&str> = rest.split([' ', '.']).collect();
            let [from, "to", until, "April", "", other, ..] = words.as_slice() else {
                continue;
            };
            let on = |it: &str| it.parse().map(|it| date(2026, 4, it));
            if on(from).ok()? <= day && day <= on(until).ok()? {
                let users = notion.users().into_iter();
                let mut names = users.map(|(name, _)| name);
                return names.find(|name| name.starts_with(*other));
            }
        }
    }
    None
}

/// Returns the first day of the contract.
fn first_day(text: &str) -> Date {
    let (_, rest) = text.split_once("from ").expect("a day");
    let (day, rest) = rest.split_once(' ').expect("a day");
    assert!(rest.starts_with("April"));
    date(2026, 4, day.parse().expect("a day"))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
