//! Finds the days of the actress and answers the questions, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

const ACTRESS: &str = "Ilse Tarn";

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    PlanFirst,
    BySearch,
    LongerAnswer,
    HandbookAlone,
    SameDay,
    FirstWeek,
    OnTheCast,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut known = None;
    if manner == Manner::PlanFirst {
        known = Some(days_of(&mut notion, manner));
    }
    let page = notion.find("page", ACTRESS);
    let page = string(&page["id"]).to_owned();
    let questions = notion.comments(&page);
    assert!(
        questions
            .iter()
            .any(|it| plain(&it["rich_text"]).contains("who pays the train"))
    );
    let rules = notion.find("page", "Travel of the cast");
    let rules = notion.lines(string(&rules["id"]));
    let minutes = notion.find("page", "2026-04-20");
    let minutes = notion.lines(string(&minutes["id"]));
    let (row, mut days) = known.unwrap_or_else(|| days_of(&mut notion, manner));
    if manner == Manner::FirstWeek {
        days.pop();
    }
    let old = rules
        .iter()
        .find_map(|it| count_in(it, " days in a row"))
        .expect("a rule");
    let new = minutes
        .iter()
        .find_map(|it| count_in(it, " free days in a row"))
        .expect("a decision");
    let enough = if manner == Manner::HandbookAlone {
        old
    } else {
        new
    };
    let free = days[2].duration_since(days[1]).as_hours() / 24 - 1;
    let we_pay = free >= enough;
    let shift = if manner == Manner::SameDay { 0 } else { 1 };
    let comes = days[0].saturating_sub(shift.days());
    let leaves = days[days.len() - 1].saturating_add(shift.days());
    let shown: Vec<String> = days
        .iter()
        .map(|it| it.strftime("%-d %B").to_string())
        .collect();
    let (last, others) = shown.split_last().expect("she has days");
    let list = format!("{} and {last}", others.join(", "));
    let (comes, leaves) = (comes.strftime("%-d %B"), leaves.strftime("%-d %B"));
    let pays = if we_pay { "We pay" } else { "She pays" };
    let text = match manner {
        Manner::LongerAnswer => format!(
            "Dear Ms Tarn, we expect you on the evening of {comes}. You shoot on {list}, and from the morning of \
             {leaves} on you are free for good. Between the second and the third of these days you have three \
             days off in a row, so the train home and back is paid by the production."
        ),
        _ => format!(
            "She has to be here on the evening of {comes}. She shoots on {list}. On the morning of {leaves} she is \
             free for good. {pays} the train home after her second day."
        ),
    };
    let place = if manner == Manner::OnTheCast {
        &row
    } else {
        &page
    };
    notion.comment(place, &text);
    "The answer is on her page.".to_owned()
}

/// Returns the row of the character, and the days on which she shoots.
fn days_of(notion: &mut NotionTools<'_>, manner: Manner) -> (String, Vec<Date>) {
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let by_search = manner == Manner::BySearch;
    let actor = json!({"property": "Actor", "rich_text": {"equals": ACTRESS}});
    let cast = if by_search {
        notion.query(&table("Cast"), actor)
    } else {
        notion.rows(&table("Cast"))
    };
    let row = cast
        .iter()
        .find(|it| plain(&it["properties"]["Actor"]["rich_text"]) == ACTRESS);
    let row = string(&row.expect("she is in the cast")["id"]).to_owned();
    let scenes = if by_search {
        notion.query(
            &table("Scenes"),
            json!({"property": "Cast", "relation": {"contains": row}}),
        )
    } else {
        notion.rows(&table("Scenes"))
    };
    let days = notion.rows(&table("Shooting days"));
    let mut dates: Vec<Date> = Vec::new();
    for scene in &scenes {
        let properties = &scene["properties"];
        let cast = properties["Cast"]["relation"].as_array();
        let is_in = cast
            .into_iter()
            .flatten()
            .any(|it| it["id"] == row.as_str());
        let is_dropped = properties["Status"]["status"]["name"] == "Dropped";
        let id = &properties["Day"]["relation"][0]["id"];
        let day = days.iter().find(|it| it["id"] == *id);
        if let Some(day) = day.filter(|_| is_in && !is_dropped) {
            let date = string(&day["properties"]["Date"]["date"]["start"]);
            dates.push(date.parse().expect("a day has a date"));
        }
    }
    dates.sort();
    dates.dedup();
    (row, dates)
}

/// Returns the number in words in front of a phrase.
fn count_in(text: &str, phrase: &str) -> Option<i64> {
    let (before, _) = text.split_once(phrase)?;
    match before.rsplit(' ').next()? {
        "three" => Some(3),
        "five" => Some(5),
        _ => None,
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
