//! Reads the lists in the order of their days, lets later notes change earlier ones, and builds the table, or makes
//! one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, rich_text, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    RowsBackwards,
    ColumnsLater,
    FirstOffers,
    AllWishes,
    WithoutComments,
    OneDayEach,
    TypedSums,
    ColumnBack,
}

/// Vehicle as the notes so far have it.
#[derive(Default)]
struct Vehicle {
    name: String,
    scenes: Vec<String>,
    firm: String,
    rate: u32,
    from: Option<String>,
    to: Option<String>,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let minutes = notion.find("page", "2026-05-08");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(
        minutes
            .iter()
            .any(|it| it.contains("with the name Picture vehicles"))
    );
    let transport = notion.find("page", "Transport");
    let transport = string(&transport["id"]).to_owned();
    let below = notion.children(&transport);
    let page = |title: &str| {
        let page = below.iter().find(|it| it["child_page"]["title"] == title);
        string(&page.expect("there is such a page")["id"]).to_owned()
    };
    let wishes = page("Picture vehicles, wish list");
    let mut vehicles: Vec<Vehicle> = Vec::new();
    for line in notion.lines(&wishes) {
        if let Some((name, scenes)) = line.split_once(": ").filter(|(_, it)| it.starts_with('0')) {
            let scenes = scenes.split(", ").map(str::to_owned).collect();
            vehicles.push(Vehicle {
                name: name.to_owned(),
                scenes,
                ..Vehicle::default()
            });
        }
    }
    for line in notion.lines(&page("Transport, offers")) {
        let Some((firm, offers)) = line.split_once(": ") else {
            continue;
        };
        for offer in offers.split(", ") {
            if let Some(vehicle) = vehicles.iter_mut().find(|it| is_about(it, offer)) {
                firm.clone_into(&mut vehicle.firm);
                vehicle.rate = last_number(offer);
            }
        }
    }
    for line in notion.lines(&page("Calls with garages")) {
        call(&mut vehicles, &line, manner);
    }
    for comment in notion.comments(&wishes) {
        let text = plain(&comment["rich_text"]);
        let vehicle = vehicles.iter_mut().find(|it| is_about(it, &text));
        if let Some(vehicle) = vehicle.filter(|_| manner != Manner::WithoutComments) {
            vehicle.scenes.retain(|it| !text.contains(it.as_str()));
            vehicle.to.clone_from(&vehicle.from);
        }
    }
    match manner {
        Manner::AllWishes => {
            for vehicle in vehicles.iter_mut().filter(|it| it.from.is_none()) {
                (vehicle.from, vehicle.to) = (Some("2026-05-19".into()), Some("2026-05-19".into()));
            }
        }
        _ => vehicles.retain(|it| it.from.is_some()),
    }
    if manner == Manner::RowsBackwards {
        vehicles.reverse();
    }
    build(&mut notion, &transport, &vehicles, manner);
    format!("{} vehicles are in the table.", vehicles.len())
}

/// Lets a call change what is known.
fn call(vehicles: &mut [Vehicle], line: &str, manner: Manner) {
    let Some((_, text)) = line.split_once(": ") else {
        return;
    };
    let Some(vehicle) = vehicles.iter_mut().find(|it| is_about(it, text)) else {
        return;
    };
    let first = text.split(' ').next().unwrap_or_default();
    if text.contains("confirms") {
        assert!(vehicle.firm.starts_with(first) || first == "Old", "{text}");
        let days = days_in(text);
        vehicle.from = days.first().cloned();
        vehicle.to = days.last().cloned();
    }
    let price = text
        .split(" a day")
        .next()
        .filter(|_| text.contains(" a day"));
    if let Some(price) = price.filter(|_| manner != Manner::FirstOffers && vehicle.from.is_some()) {
        vehicle.rate = last_number(price);
    }
    if text.contains("brings") && manner != Manner::OneDayEach {
        vehicle.from = days_in(text).into_iter().next();
    }
}

/// Whether a text names a vehicle by its last word.
fn is_about(vehicle: &Vehicle, text: &str) -> bool {
    let name = vehicle.name.to_lowercase();
    let word = name.rsplit(' ').next().unwrap_or(&name);
    text.to_lowercase()
        .split(|it: char| !it.is_alphanumeric())
        .any(|it| it == word)
}

fn last_number(text: &str) -> u32 {
    let mut words = text.split(' ').rev();
    words.find_map(|it| it.parse().ok()).unwrap_or_default()
}

/// Returns the days that a text names, such as `2 and 3 June`.
fn days_in(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split([' ', ',', '.'])
        .filter(|it| !it.is_empty())
        .collect();
    let mut days = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let month = match *word {
            "May" => 5,
            "June" => 6,
            _ => continue,
        };
        let number = |at: usize| words[at].parse::<u32>().expect("a day");
        if at >= 3 && words[at - 2] == "and" {
            days.push(format!("2026-{month:02}-{:02}", number(at - 3)));
        }
        days.push(format!("2026-{month:02}-{:02}", number(at - 1)));
    }
    days
}

fn build(notion: &mut NotionTools<'_>, page: &str, vehicles: &[Vehicle], manner: Manner) {
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let (scenes, firms) = (table("Scenes"), table("Suppliers"));
    let rows = notion.rows(&scenes);
    let numbered = rows.iter().map(|it| (title_of(it)[..3].to_owned(), it));
    let numbered: BTreeMap<String, &Value> = numbered.collect();
    let suppliers = notion.rows(&firms);
    let suppliers: BTreeMap<String, &str> = suppliers
        .iter()
        .map(|it| (title_of(it), string(&it["id"])))
        .collect();
    let one_way = |id: &str| json!({"relation": {"database_id": id, "type": "single_property", "single_property": {}}});
    let sum = json!({"rollup": {
        "relation_property_name": "Scenes",
        "rollup_property_name": "Eighths",
        "function": "sum",
    }});
    let linked = match manner {
        Manner::ColumnBack => {
            json!({"relation": {"database_id": scenes, "type": "dual_property", "dual_property": {}}})
        }
        _ => one_way(&scenes),
    };
    let columns = json!({
        "Scenes": linked,
        "Firm": one_way(&firms),
        "From": {"date": {}},
        "To": {"date": {}},
        "Rate": {"number": {"format": "euro"}},
    });
    let later = manner == Manner::ColumnsLater;
    let mut properties = json!({"Vehicle": {"title": {}}});
    if !later {
        merge(&mut properties, &columns);
    }
    let made = notion.call(
        "API-create-a-database",
        &json!({
            "parent": {"type": "page_id", "page_id": page},
            "title": rich_text("Picture vehicles"),
            "properties": properties,
        }),
    );
    let id = string(&made["id"]);
    let mut update = |properties: Value| {
        notion.call(
            "API-update-a-database",
            &json!({"database_id": id, "properties": properties}),
        );
    };
    if later {
        update(columns);
    }
    match manner {
        Manner::TypedSums => update(json!({"Eighths": {"number": {}}})),
        _ => update(json!({"Eighths": sum})),
    }
    for vehicle in vehicles {
        let links: Vec<Value> = vehicle
            .scenes
            .iter()
            .map(|it| json!({"id": numbered[it]["id"]}))
            .collect();
        let mut values = json!({
            "Scenes": {"relation": links},
            "Firm": {"relation": [{"id": suppliers[&vehicle.firm]}]},
            "From": {"date": {"start": vehicle.from}},
            "To": {"date": {"start": vehicle.to}},
            "Rate": {"number": vehicle.rate},
        });
        if manner == Manner::TypedSums {
            let eighths = vehicle.scenes.iter();
            let eighths =
                eighths.filter_map(|it| numbered[it]["properties"]["Eighths"]["number"].as_f64());
            values["Eighths"] = json!({"number": eighths.sum::<f64>()});
        }
        let mut properties = json!({"Vehicle": {"title": rich_text(&vehicle.name)}});
        if !later {
            merge(&mut properties, &values);
        }
        let arguments = json!({"parent": {"database_id": id}, "properties": properties});
        let row = notion.call("API-post-page", &arguments);
        if later {
            notion.set(string(&row["id"]), values);
        }
    }
}

fn merge(properties: &mut Value, others: &Value) {
    for (name, value) in others.as_object().into_iter().flatten() {
        properties[name] = value.clone();
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
