//! Adds up what February cost from the tables and their comments and writes the letter, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, plain, rich_text, title_of};

const HOUSES: [&str; 2] = ["Gull Row 3", "Gull Row 5"];

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    FlatsFirst,
    LineByLine,
    OtherWords,
    WholeInvoices,
    TenantToo,
    ByReport,
    NamesTenants,
    OpenAndDone,
}

/// Facts of the letter.
#[derive(Default)]
struct Month {
    finished: usize,
    cents: i64,
    open: usize,
    /// Title, cost and day of the agreement of each large repair.
    large: Vec<(String, i64, String)>,
    by_tenant: Vec<String>,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let tables = match manner {
        Manner::FlatsFirst => Some(read_tables(&mut notion, manner)),
        _ => None,
    };
    let above = notion.find("page", "Letters to owners");
    let above = string(&above["id"]).to_owned();
    let rules = notion.children(&above);
    let last = rules
        .iter()
        .find(|it| it["child_page"]["title"] == "Mrs Quayle, January 2026");
    notion.lines(string(&last.expect("there was a letter")["id"]));
    let shared = notion.find("page", "Shared invoices");
    notion.lines(string(&shared["id"]));
    let (repairs, flats) = tables.unwrap_or_else(|| read_tables(&mut notion, manner));

    let month = month(&mut notion, &repairs, &flats, manner);
    let empty = flats.iter().find(|it| is_hers(it) && state(it) == "Empty");
    let empty = empty.expect("one flat is empty");
    let comments = notion.comments(string(&empty["id"]));
    let again = comments.iter().map(|it| plain(&it["rich_text"]));
    let again = again
        .into_iter()
        .find(|it| it.contains("moves in"))
        .expect("it is let");
    let paragraphs = paragraphs(&month, &title_of(empty), &again, manner);
    let mut blocks: Vec<Value> = paragraphs.iter().map(|it| block("paragraph", it)).collect();
    let rest = match manner {
        Manner::LineByLine => blocks.split_off(1),
        _ => Vec::new(),
    };
    let page = notion.call(
        "API-post-page",
        &json!({
            "parent": {"page_id": above},
            "properties": {"title": rich_text("Mrs Quayle, February 2026")},
            "children": blocks,
        }),
    );
    let page = string(&page["id"]).to_owned();
    for block in rest {
        notion.append(&page, vec![block]);
    }
    "The letter is among the others.".to_owned()
}

fn read_tables(notion: &mut NotionTools<'_>, manner: Manner) -> (Vec<Value>, Vec<Value>) {
    let repairs = notion.find("database", "Repairs");
    let flats = notion.find("database", "Flats");
    let flats = notion.rows(string(&flats["id"]));
    let filter = json!({"or": [
        {"property": "Finished", "date": {"on_or_after": "2026-02-01"}},
        {"property": "Finished", "date": {"is_empty": true}},
    ]});
    let repairs = string(&repairs["id"]);
    let repairs = match manner {
        Manner::LineByLine => notion.query(repairs, filter),
        _ => notion.rows(repairs),
    };
    (repairs, flats)
}

fn month(
    notion: &mut NotionTools<'_>,
    repairs: &[Value],
    flats: &[Value],
    manner: Manner,
) -> Month {
    let mut month = Month::default();
    for repair in repairs {
        let properties = &repair["properties"];
        let flat = &properties["Flat"]["relation"][0]["id"];
        if !flats.iter().any(|it| it["id"] == *flat && is_hers(it)) {
            continue;
        }
        let status = string(&properties["Status"]["status"]["name"]);
        let is_open = ["Reported", "Ordered"].contains(&status);
        if is_open || (manner == Manner::OpenAndDone && status == "Done") {
            month.open += 1;
        }
        let day = match manner {
            Manner::ByReport => &properties["Reported"],
            _ => &properties["Finished"],
        };
        if is_open || !string(&day["date"]["start"]).starts_with("2026-02") {
            continue;
        }
        month.finished += 1;
        let mut cents =
            (properties["Cost"]["number"].as_f64().unwrap_or(0.0) * 100.0).round() as i64;
        let mut agreed = String::new();
        for comment in notion.comments(string(&repair["id"])) {
            let text = plain(&comment["rich_text"]);
            if text.contains("pays it herself") && manner != Manner::TenantToo {
                month.by_tenant.push(title_of(repair).to_lowercase());
                cents = 0;
            }
            if let Some((_, share)) = text.split_once("roofs: ")
                && manner != Manner::WholeInvoices
            {
                let share: i64 = share[..3].parse().expect("a share");
                cents -= 100 * share;
            }
            if text.starts_with("Agreed with the owner") {
                agreed = string(&comment["created_time"])[..10].to_owned();
            }
        }
        month.cents += cents;
        if cents > 30_000 {
            month.large.push((title_of(repair), cents, agreed));
        }
    }
    month
}

fn paragraphs(month: &Month, flat: &str, again: &str, manner: Manner) -> Vec<String> {
    let sum = euros(month.cents);
    let mut large = month.large.iter();
    let hall = large.find(|(what, _, _)| what.starts_with("Hall"));
    let (cost, agreed) = hall.map_or_else(Default::default, |(_, cents, day)| {
        let day: Date = day.parse().expect("she agreed on a day");
        (euros(*cents), day.strftime("%-d %B").to_string())
    });
    let number = flat.rsplit(' ').next().unwrap_or_default();
    let (_, day) = again.split_once("on ").expect("a day");
    let (day, _) = day.split_once(',').expect("a day");
    let who = match manner {
        Manner::NamesTenants => "Bruno Keller moves in",
        _ => "it is let again",
    };
    if manner == Manner::OtherWords {
        return vec![
            "Dear Mrs Quayle,".to_owned(),
            format!(
                "in February we completed {} repairs in your houses, and your share of the bills is €{sum}. Among \
                 them are 240 euros for the flue after the storm and 18.50 euros for a key.",
                month.finished
            ),
            "The new pane is paid by the tenant who broke it, so you do not find it in that sum."
                .to_owned(),
            format!(
                "The painters were above 300: {cost} euros for the hall, as we agreed on the phone on {agreed}."
            ),
            format!("{} repairs are still outstanding today.", month.open),
            format!(
                "Flat {number} of Gull Row 3 is the only empty one, and there will be rent for it from {day} on."
            ),
        ];
    }
    let tenant = if month.by_tenant.is_empty() {
        String::new()
    } else {
        " One of them, a broken pane, is not in the sum: the tenant pays it.".to_owned()
    };
    vec![
        "Dear Mrs Quayle,".to_owned(),
        format!(
            "in February {} repairs were finished in Gull Row. They cost you {sum} euros in all.{tenant}",
            month.finished
        ),
        format!(
            "More than 300 was only the painting of the hall, for {cost} euros; you agreed to it on {agreed}."
        ),
        format!(
            "{} repairs are still open. Flat {number} of Gull Row 3 is empty; {who} from {day}.",
            month.open
        ),
    ]
}

fn euros(cents: i64) -> String {
    match cents % 100 {
        0 => (cents / 100).to_string(),
        rest => format!("{}.{rest:02}", cents / 100),
    }
}

/// Returns whether a flat is in one of the owner's houses.
fn is_hers(flat: &Value) -> bool {
    let title = title_of(flat);
    HOUSES.iter().any(|house| title.starts_with(house))
}

fn state(flat: &Value) -> &str {
    string(&flat["properties"]["State"]["status"]["name"])
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
