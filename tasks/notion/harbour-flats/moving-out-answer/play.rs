//! Finds what the three questions ask for and answers them, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

const FLAT: &str = "Lantern Court, flat 3";

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    TableFirst,
    BySearch,
    LongerAnswer,
    HandbookAlone,
    FirstVisit,
    WhiteAgain,
    OnTheFlat,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut visit = None;
    if manner == Manner::TableFirst {
        visit = Some(visit_of(&mut notion, manner));
    }
    let page = move_page(&mut notion, "moving out");
    notion.lines(&page);
    let questions = notion.comments(&page);
    assert!(
        questions
            .iter()
            .any(|it| plain(&it["rich_text"]).contains("blue bedroom"))
    );
    let rules = notion.find("page", "Moving out");
    let rules = notion.lines(string(&rules["id"]));
    let minutes = notion.find("page", "2026-02-16");
    let minutes = notion.lines(string(&minutes["id"]));
    let flat = move_page(&mut notion, "moving in");
    let next = notion.lines(&flat);
    let keeps_blue = next.iter().any(|it| it.contains("keep the bedroom blue"));

    let (when, who) = visit.unwrap_or_else(|| visit_of(&mut notion, manner));
    let deposit = deposit_of(&mut notion, "Daniel Okafor", manner);
    let day: Date = when[..10].parse().expect("a visit has a day");
    let time = &when[11..16];
    let old = rules
        .iter()
        .find_map(|it| days_in(it))
        .expect("the rule has days");
    let new = minutes
        .iter()
        .find_map(|it| days_in(it))
        .expect("the decision has days");
    let days = if manner == Manner::HandbookAlone {
        old
    } else {
        new
    };
    let back = day.saturating_add(days.days());
    let day = day.strftime("%A %-d %B");
    let back = back.strftime("%-d %B");
    let blue = if keeps_blue && manner != Manner::WhiteAgain {
        "The blue bedroom can stay as it is, because the next tenant likes the colour."
    } else {
        "The blue bedroom has to be painted white again."
    };
    let text = match manner {
        Manner::LongerAnswer => format!(
            "Dear Mr Okafor, {who} will come to see the flat on {day}. Please be there at {time}. If she finds \
             nothing wrong, the whole deposit of €{deposit} goes back to you, no later than {back}, which is \
             within {days} days. You need not paint the bedroom: whoever comes after you would like to keep it blue."
        ),
        _ => format!(
            "{who} comes for the visit on {day} at {time}. If nothing is wrong, he gets {deposit} euros back, \
             by {back} at the latest. {blue}"
        ),
    };
    let place = if manner == Manner::OnTheFlat {
        &flat
    } else {
        &page
    };
    notion.comment(place, &text);
    "I have answered on the page of the move.".to_owned()
}

/// Returns the id of a page of the move.
fn move_page(notion: &mut NotionTools<'_>, direction: &str) -> String {
    let found = notion.all("API-post-search", &json!({"query": direction}));
    let title = format!("{FLAT}: {direction}");
    let page = found.iter().find(|it| title_of(it) == title);
    string(&page.expect("the move has a page")["id"]).to_owned()
}

/// Returns the time of the visit, and who is entered for it.
fn visit_of(notion: &mut NotionTools<'_>, manner: Manner) -> (String, String) {
    let table = notion.find("database", "Inspections");
    let kind = json!({"property": "Kind", "select": {"equals": "move-out"}});
    let planned = json!({"property": "Result", "status": {"equals": "Planned"}});
    let title = json!({"property": "Visit", "title": {"contains": FLAT}});
    let filter = match manner {
        Manner::BySearch => json!({"and": [kind, planned, title]}),
        _ => kind,
    };
    let visits = notion.query(string(&table["id"]), filter);
    let mut open = Vec::new();
    for visit in &visits {
        let properties = &visit["properties"];
        let is_planned = properties["Result"]["status"]["name"] == "Planned";
        if is_planned && title_of(visit).contains(FLAT) {
            let comments = notion.comments(string(&visit["id"]));
            let is_off = comments
                .iter()
                .any(|it| plain(&it["rich_text"]).contains("is off"));
            if is_off == (manner == Manner::FirstVisit) {
                open.push(visit);
            }
        }
    }
    let [visit] = open.as_slice() else {
        panic!("{} visits are planned", open.len())
    };
    let properties = &visit["properties"];
    let when = string(&properties["Date"]["date"]["start"]).to_owned();
    let who = string(&properties["Inspector"]["people"][0]["name"]).to_owned();
    (when, who)
}

fn deposit_of(notion: &mut NotionTools<'_>, name: &str, manner: Manner) -> u64 {
    let table = notion.find("database", "Tenants");
    let table = string(&table["id"]);
    let filter = json!({"property": "Name", "title": {"equals": name}});
    let rows = match manner {
        Manner::BySearch => notion.query(table, filter),
        _ => notion.rows(table),
    };
    let row = rows
        .iter()
        .find(|it| title_of(it) == name)
        .expect("he is a tenant");
    row["properties"]["Deposit"]["number"]
        .as_f64()
        .map_or(0, |it| it as u64)
}

/// Returns the number of days that a sentence about deposits has.
fn days_in(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("within ")?;
    let (number, _) = rest.split_once(" days")?;
    number.parse().ok()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
