//! Moves the cards by the rules of the board, or with one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeSet;

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, Weekday, date};
use mcpmark_guest::serde_json::{Map, Value, json};
use mcpmark_guest_notion::{NotionTools, plain};

/// Words with which people write that something works.
const WORKS: [&str; 4] = ["fine since", "works again", "all good", "Heard it running"];
/// Words with which people write that it does not work again.
const FAILS: [&str; 1] = ["rang again"];
/// Words of who passes on what a tenant said.
const TENANT: [&str; 3] = ["rang", "says", "wrote"];

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    DatesFirst,
    WholeBoard,
    TwentyDays,
    ThroughHolidays,
    AnyComment,
    AgreedDatesToo,
    NoComments,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "The repairs board");
    notion.lines(string(&rules["id"]));
    let hours = notion.find("page", "Office hours and closed days");
    let closed = closed_days(&mut notion, string(&hours["id"]));
    let minutes = notion.find("page", "2026-03-02");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(
        minutes
            .iter()
            .any(|it| it.contains("15 working days instead of 20"))
    );

    let board = notion.find("database", "Repairs");
    let board = string(&board["id"]);
    let open = json!({"property": "Status", "status": {"does_not_equal": "Closed"}});
    let cards = match manner {
        Manner::WholeBoard => notion.rows(board),
        _ => notion.query(board, open),
    };
    let mut dates: Vec<(String, Value)> = Vec::new();
    let mut statuses: Vec<(String, Value)> = Vec::new();
    for card in &cards {
        let properties = &card["properties"];
        let status = string(&properties["Status"]["status"]["name"]);
        if status == "Closed" {
            continue;
        }
        let id = string(&card["id"]).to_owned();
        let comments = match manner {
            Manner::NoComments => Vec::new(),
            _ => notion.comments(&id),
        };
        let now = status_of(properties, &comments, manner);
        if now != status {
            statuses.push((id.clone(), json!({"status": {"name": now}})));
        }
        if properties["Due"]["date"].is_null() || manner == Manner::AgreedDatesToo {
            let due = due(properties, &closed, manner).to_string();
            dates.push((id, json!({"date": {"start": due}})));
        }
    }
    let count = statuses.len() + dates.len();
    write(&mut notion, manner, statuses, dates);
    format!("I have corrected {count} fields.")
}

fn write(
    notion: &mut NotionTools<'_>,
    manner: Manner,
    statuses: Vec<(String, Value)>,
    dates: Vec<(String, Value)>,
) {
    if manner == Manner::WholeBoard {
        let cards = statuses.iter().chain(&dates).map(|(id, _)| id.clone());
        for card in cards.collect::<BTreeSet<String>>() {
            let mut properties = Map::new();
            for (name, all) in [("Status", &statuses), ("Due", &dates)] {
                let value = all.iter().find(|(id, _)| *id == card);
                properties.extend(value.map(|(_, it)| (name.to_owned(), it.clone())));
            }
            notion.set(&card, properties.into());
        }
        return;
    }
    let mut calls: Vec<(String, Value)> = Vec::new();
    for (name, all) in [("Status", statuses), ("Due", dates)] {
        calls.extend(all.into_iter().map(|(id, it)| (id, json!({name: it}))));
    }
    if manner == Manner::DatesFirst {
        calls.reverse();
    }
    for (card, properties) in calls {
        notion.set(&card, properties);
    }
}

fn status_of(properties: &Value, comments: &[Value], manner: Manner) -> &'static str {
    let mut works = properties["Status"]["status"]["name"] == "Done";
    for comment in comments {
        let text = plain(&comment["rich_text"]);
        let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
        if has(&FAILS) {
            works = manner == Manner::AnyComment;
        } else if has(&WORKS) && (has(&TENANT) || manner == Manner::AnyComment) {
            works = true;
        }
    }
    let invoiced = properties["Invoice"]["checkbox"] == true;
    let has_firm = properties["Firm"]["relation"].get(0).is_some();
    match (works, invoiced, has_firm) {
        (true, true, _) => "Closed",
        (true, false, _) => "Done",
        (false, _, true) => "Ordered",
        (false, _, false) => "Reported",
    }
}

fn due(properties: &Value, closed: &BTreeSet<Date>, manner: Manner) -> Date {
    let reported: Date = string(&properties["Reported"]["date"]["start"])
        .parse()
        .expect("a card has the day of its report");
    let is_new = reported >= date(2026, 3, 1) && manner != Manner::TwentyDays;
    let days = match string(&properties["Urgency"]["select"]["name"]) {
        "urgent" => 1,
        "soon" => 5,
        _ if is_new => 15,
        _ => 20,
    };
    let mut day = reported;
    let mut left = days;
    while left > 0 {
        day = day.saturating_add(1.day());
        let is_weekend = [Weekday::Saturday, Weekday::Sunday].contains(&day.weekday());
        let is_closed = closed.contains(&day) && manner != Manner::ThroughHolidays;
        if !is_weekend && !is_closed {
            left -= 1;
        }
    }
    day
}

/// Reads the days on which the office is closed from the table of their page.
fn closed_days(notion: &mut NotionTools<'_>, page: &str) -> BTreeSet<Date> {
    let blocks = notion.children(page);
    let table = blocks.iter().find(|it| it["type"] == "table");
    let rows = notion.children(string(&table.expect("the days are in a table")["id"]));
    let months = ["January", "February", "March", "April"];
    let days = rows.iter().skip(1).map(|row| {
        let text = plain(&row["table_row"]["cells"][0]);
        let (day, month) = text.split_once(' ').expect("a day and a month");
        let month = months.iter().position(|it| *it == month).expect("a month");
        let (month, day) = (month + 1, day.parse().expect("a day"));
        date(2026, i8::try_from(month).expect("a month"), day)
    });
    days.collect()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
