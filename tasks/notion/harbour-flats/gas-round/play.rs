//! Works out which checks run out from the tables, and writes them down, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, title_of};

const MAY: Date = date(2026, 5, 1);

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    TablesFirst,
    BySearch,
    NamesEmpty,
    AnyVisit,
    EmptyToo,
    SameDay,
    ByHouse,
}

struct Tables {
    visits: Vec<Value>,
    flats: Vec<Value>,
    tenants: Vec<Value>,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let (page, tables) = match manner {
        Manner::TablesFirst => {
            let tables = read_tables(&mut notion, manner);
            (read_pages(&mut notion), tables)
        }
        _ => {
            let page = read_pages(&mut notion);
            (page, read_tables(&mut notion, manner))
        }
    };
    let lines = lines(&tables, manner);
    let mut blocks: Vec<Value> = lines
        .iter()
        .map(|it| block("bulleted_list_item", it))
        .collect();
    if manner == Manner::NamesEmpty {
        let empty = tables.flats.iter().map(title_of);
        let mut empty = empty.filter(|it| it == "Gull Row 3, flat 4");
        let flat = empty.next().expect("the flat is in the table");
        blocks.push(block(
            "paragraph",
            &format!("{flat} is empty and left out."),
        ));
    }
    match manner {
        Manner::TablesFirst => {
            for block in blocks {
                notion.append(&page, vec![block]);
            }
        }
        _ => {
            notion.append(&page, blocks);
        }
    }
    format!("{} flats are on the list.", lines.len())
}

/// Reads the rules and the page of the last round. Returns the page of this one.
fn read_pages(notion: &mut NotionTools<'_>) -> String {
    let rules = notion.find("page", "Gas and smoke alarms");
    notion.lines(id(&rules));
    let rounds = notion.all("API-post-search", &json!({"query": "Gas round"}));
    let round = |title: &str| rounds.iter().find(|it| title_of(it) == title).map(id);
    notion.lines(round("Gas round, February").expect("it was there"));
    round("Gas round, April").expect("Runa made it").to_owned()
}

fn read_tables(notion: &mut NotionTools<'_>, manner: Manner) -> Tables {
    let found = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let found = found.iter().find(|it| title_of(it) == title);
        id(found.expect("there is such a table")).to_owned()
    };
    let gas = json!({"property": "Kind", "select": {"equals": "gas"}});
    let filter = match manner {
        Manner::BySearch => {
            json!({"and": [gas, {"property": "Date", "date": {"on_or_after": "2025-03-16"}}]})
        }
        _ => gas,
    };
    Tables {
        visits: notion.query(&table("Inspections"), filter),
        flats: notion.rows(&table("Flats")),
        tenants: notion.rows(&table("Tenants")),
    }
}

fn lines(tables: &Tables, manner: Manner) -> Vec<String> {
    let mut until: BTreeMap<&str, Date> = BTreeMap::new();
    for visit in &tables.visits {
        let properties = &visit["properties"];
        let passed = properties["Result"]["status"]["name"] == "Passed";
        if !passed && manner != Manner::AnyVisit {
            continue;
        }
        let flat = string(&properties["Flat"]["relation"][0]["id"]);
        let day: Date = string(&properties["Date"]["date"]["start"])
            .parse()
            .expect("a visit has a date");
        let mut good = day.saturating_add(1.year());
        if manner != Manner::SameDay {
            good = good.saturating_sub(1.day());
        }
        let last = until.entry(flat).or_insert(good);
        *last = good.max(*last);
    }
    let mut all = Vec::new();
    for (flat, good) in until {
        let row = tables.flats.iter().find(|it| it["id"] == flat);
        let row = row.expect("the flat is in the table");
        let tenant = string(&row["properties"]["Tenant"]["relation"][0]["id"]);
        if good >= MAY || (tenant.is_empty() && manner != Manner::EmptyToo) {
            continue;
        }
        let tenant = tables.tenants.iter().find(|it| it["id"] == tenant);
        let phone = tenant.map_or("", |it| string(&it["properties"]["Phone"]["phone_number"]));
        let name = tenant.map(title_of).unwrap_or_default();
        let form = match manner {
            Manner::BySearch => "%Y-%m-%d",
            _ => "%-d %B %Y",
        };
        let parts = [name, phone.to_owned()];
        let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        let text = format!(
            "{}: {}, {}",
            title_of(row),
            good.strftime(form),
            parts.join(", ")
        );
        let text = match (manner, title_of(row).as_str()) {
            (Manner::NamesEmpty, "Gull Row 3, flat 5") => format!("{text} (flat 4 is empty)"),
            _ => text,
        };
        all.push((good, title_of(row), text));
    }
    match manner {
        Manner::ByHouse => all.sort_by(|one, other| one.1.cmp(&other.1)),
        _ => all.sort(),
    }
    all.into_iter().map(|(_, _, text)| text).collect()
}

fn id(object: &Value) -> &str {
    string(&object["id"])
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
