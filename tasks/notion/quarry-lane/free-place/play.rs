//! Goes down the waiting list and offers the place, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeSet;

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    CommentFirst,
    FromThePupil,
    WithDates,
    SiblingsFirst,
    ListAlone,
    TooYoung,
    OffersAgain,
    TakenAlready,
    NamesNobody,
    OneReason,
}

const LESSON: &str = "Thu 16:30 Wilk";
const TODAY: Date = date(2026, 9, 14);
/// First day on which the lesson can be held.
const FIRST: Date = date(2026, 9, 17);

/// Child on the waiting list.
struct Child {
    id: String,
    name: String,
    born: Date,
    registered: Date,
    signer: String,
    wishes: String,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "Waiting list");
    let rules = notion.lines(string(&rules["id"]));
    assert!(rules.iter().any(|it| it.contains("guitar from seven")));
    let minutes = notion.find("page", "2026-05-18");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(minutes.iter().any(|it| it.contains("the list is the list")));
    let tables = notion.all(
        "API-post-search",
        &json!({"filter": {"property": "object", "value": "database"}}),
    );
    let table = |title: &str| {
        let table = tables.iter().find(|it| title_of(it) == title);
        string(&table.expect("there is such a table")["id"]).to_owned()
    };
    let (pupils, timetable) = (table("Pupils"), table("Timetable"));
    let lesson = json!({"property": "Lesson", "title": {"equals": LESSON}});
    let lesson = notion.query(&timetable, lesson);
    let lesson = string(&lesson[0]["id"]).to_owned();
    let waiting = json!({"and": [
        {"property": "Status", "status": {"equals": "Waiting"}},
        {"property": "Instrument", "select": {"equals": "cello"}},
    ]});
    let mut children: Vec<Child> = notion.query(&pupils, waiting).iter().map(child).collect();
    children.sort_by_key(|it| it.registered);
    if manner == Manner::SiblingsFirst {
        let here = json!({"property": "Status", "status": {"equals": "Active"}});
        let families: BTreeSet<String> = notion
            .query(&pupils, here)
            .iter()
            .map(|it| plain(&it["properties"]["Signed by"]["rich_text"]))
            .collect();
        children.sort_by_key(|it| !families.contains(&it.signer));
    }
    let mut passed: Vec<String> = Vec::new();
    let mut chosen = None;
    for child in children {
        match objection(&mut notion, &child, manner) {
            Some(reason) => passed.push(match manner {
                Manner::WithDates => {
                    let day = child.registered.strftime("%-d %B %Y");
                    format!("{} ({day}): {reason}.", child.name)
                }
                _ => format!("{}: {reason}.", child.name),
            }),
            None => {
                chosen = Some(child);
                break;
            }
        }
    }
    let chosen = chosen.expect("the place fits somebody");
    match manner {
        Manner::NamesNobody => {
            let count = passed.len();
            passed = vec![format!(
                "{count} families who have waited longer could not take the place, because of their days, their age \
                 or their earlier answers."
            )];
        }
        Manner::OneReason => {
            let names: Vec<&str> = passed
                .iter()
                .filter_map(|it| it.split(':').next())
                .collect();
            passed = vec![format!(
                "Passed over, as it does not suit them: {}.",
                names.join(", ")
            )];
        }
        _ => {}
    }
    let heading = match manner {
        Manner::WithDates => {
            let day = chosen.registered.strftime("%-d %B %Y");
            let shown = (TODAY + 7.days()).strftime("%-d %B");
            format!(
                "We offer Thursday, 16:30, to {}, who is on the list since {day} and has until {shown}. These were \
                 before him:",
                chosen.name
            )
        }
        _ => format!("The place goes to {}. Passed over:", chosen.name),
    };
    let text = format!("{heading}\n{}", passed.join("\n"));
    if manner == Manner::CommentFirst {
        notion.comment(&chosen.id, &text);
    }
    enter(&mut notion, &lesson, &chosen.id, manner);
    if manner != Manner::CommentFirst {
        notion.comment(&chosen.id, &text);
    }
    format!("The place is offered to {}.", chosen.name)
}

fn child(row: &Value) -> Child {
    let properties = &row["properties"];
    let day = |name: &str| {
        let day = string(&properties[name]["date"]["start"]);
        day.parse().expect("a day")
    };
    Child {
        id: string(&row["id"]).to_owned(),
        name: title_of(row),
        born: day("Born"),
        registered: day("Registered"),
        signer: plain(&properties["Signed by"]["rich_text"]),
        wishes: plain(&properties["Wishes"]["rich_text"]),
    }
}

/// Returns why a child does not get the place, if there is a reason.
fn objection(notion: &mut NotionTools<'_>, child: &Child, manner: Manner) -> Option<String> {
    let comments = match manner {
        Manner::ListAlone => Vec::new(),
        _ => notion.comments(&child.id),
    };
    let comments: Vec<String> = comments.iter().map(|it| plain(&it["rich_text"])).collect();
    let has = |word: &str| comments.iter().filter(|it| it.contains(word)).count();
    if has("eclined") >= 2 && manner != Manner::OffersAgain {
        return Some("has declined two offers".to_owned());
    }
    if has("needs no place any more") > 0 {
        return Some("has found a teacher in Marsden".to_owned());
    }
    let wishes = &child.wishes;
    if wishes.contains("Only") && !wishes.contains("Thursday") {
        return Some("can come on Tuesdays and Fridays only".to_owned());
    }
    if child.born.saturating_add(7.years()) > FIRST && manner != Manner::TooYoung {
        return Some("is only six, and we begin the cello at seven".to_owned());
    }
    if wishes.contains("Not before 17:00") {
        return Some("cannot be here before 17:00".to_owned());
    }
    None
}

fn enter(notion: &mut NotionTools<'_>, lesson: &str, pupil: &str, manner: Manner) {
    let (state, status) = match manner {
        Manner::TakenAlready => ("Running", "Active"),
        _ => ("Offered", "Offered"),
    };
    let day = TODAY + 7.days();
    let mut values = json!({
        "Status": {"status": {"name": status}},
        "Answer by": {"date": {"start": day.to_string()}},
    });
    let mut place = json!({"State": {"status": {"name": state}}});
    match manner {
        Manner::FromThePupil => values["Lessons"] = json!({"relation": [{"id": lesson}]}),
        _ => place["Pupils"] = json!({"relation": [{"id": pupil}]}),
    }
    notion.set(lesson, place);
    notion.set(pupil, values);
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
