//! Follows the post book letter by letter, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::serde_json::{Map, Value, json};
use mcpmark_guest_notion::{NotionTools, plain, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    TableFirst,
    ValueByValue,
    HandbookAlone,
    AnybodySigns,
    ByTelephone,
    LeftAtOnce,
    KeepsWithdrawn,
    TeachersExcuse,
    LateLeave,
    ForgetsSilent,
    KeepsLeaves,
}

const TODAY: Date = date(2026, 9, 14);
const HALF_YEAR: Date = date(2026, 8, 1);
const MONTHS: [&str; 5] = ["May", "June", "July", "August", "September"];

/// Row of a pupil with its state after the letters read so far.
struct Pupil {
    id: String,
    name: String,
    signer: String,
    was: [String; 3],
    status: &'static str,
    until: Option<Date>,
    leave: Option<Date>,
    is_back: bool,
    is_touched: bool,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut known = None;
    if manner == Manner::TableFirst {
        known = Some(pupils(&mut notion, manner));
    }
    let rules = notion.find("page", "Joining, leave and leaving");
    let rules = notion.lines(string(&rules["id"]));
    assert!(rules.iter().any(|it| it.contains("by 15 June")));
    let minutes = notion.find("page", "2026-06-22");
    let minutes = notion.lines(string(&minutes["id"]));
    assert!(minutes.iter().any(|it| it.contains("by 30 June this year")));
    let deadline = match manner {
        Manner::HandbookAlone => date(2026, 6, 15),
        _ => date(2026, 6, 30),
    };
    let mut letters = Vec::new();
    let posts = notion.all("API-post-search", &json!({"query": "Post, "}));
    for post in &posts {
        let lines = notion.lines(string(&post["id"]));
        letters.extend(lines.iter().filter_map(|it| letter(it)));
    }
    letters.sort();
    let mut pupils = known.unwrap_or_else(|| pupils(&mut notion, manner));
    for (day, text) in &letters {
        read(&mut pupils, *day, text, deadline, manner);
    }
    let director = notion.users().into_iter();
    let director = director
        .filter(|(name, _)| name == "Ottilie Brandt")
        .map(|(_, id)| id)
        .next()
        .expect("there is a director");
    for pupil in pupils.iter_mut().filter(|it| it.is_touched) {
        for comment in notion.comments(&pupil.id) {
            let text = plain(&comment["rich_text"]);
            let may_decide = comment["created_by"]["id"] == director.as_str();
            if may_decide && text.contains("end of September") {
                pupil.until = Some(date(2026, 9, 30));
            }
            if manner == Manner::TeachersExcuse && text.contains("right away") {
                pupil.until = Some(date(2026, 7, 31));
            }
        }
    }
    let mut count = 0;
    for pupil in &mut pupils {
        settle(pupil, manner);
        count += usize::from(write(&mut notion, pupil, manner));
    }
    format!("{count} pupils have changed.")
}

/// Splits a line of the post book into day and text.
fn letter(line: &str) -> Option<(Date, String)> {
    let (day, text) = line.split_once(": ")?;
    let (number, month) = day.split_once(' ')?;
    let month = MONTHS.iter().position(|it| *it == month)?;
    let day = date(2026, i8::try_from(month).ok()? + 5, number.parse().ok()?);
    Some((day, text.to_owned()))
}

/// Reads the rows of those who are here or on leave, and of those who have left this summer.
fn pupils(notion: &mut NotionTools<'_>, manner: Manner) -> Vec<Pupil> {
    let table = notion.find("database", "Pupils");
    let table = string(&table["id"]);
    let rows = match manner {
        Manner::ValueByValue => notion.rows(table),
        _ => {
            let of = |status: &str| json!({"property": "Status", "status": {"equals": status}});
            let any = json!({"or": [of("Active"), of("On leave"), of("Left")]});
            notion.query(table, any)
        }
    };
    let all = rows.iter().map(|row| {
        let properties = &row["properties"];
        let day = |name: &str| string(&properties[name]["date"]["start"]).to_owned();
        let status = string(&properties["Status"]["status"]["name"]);
        let name = title_of(row);
        let signer = plain(&properties["Signed by"]["rich_text"]);
        let was = [status.to_owned(), day("Until"), day("Leave since")];
        Pupil {
            id: string(&row["id"]).to_owned(),
            signer: if signer.is_empty() {
                name.clone()
            } else {
                signer
            },
            name,
            status: match status {
                "Active" => "Active",
                "On leave" => "On leave",
                "Left" => "Left",
                _ => "Waiting",
            },
            until: was[1].parse().ok(),
            leave: was[2].parse().ok(),
            was,
            is_back: false,
            is_touched: false,
        }
    });
    all.collect()
}

/// Lets a letter change the pupil whom it is about.
fn read(pupils: &mut [Pupil], day: Date, text: &str, deadline: Date, manner: Manner) {
    let words: Vec<&str> = text.split(|it: char| !it.is_alphanumeric()).collect();
    let first = |it: &Pupil| it.name.split(' ').next().unwrap_or_default().to_owned();
    let is_by = |it: &Pupil| text.starts_with(&it.signer);
    let about = |it: &&mut Pupil| {
        let is_named = words.contains(&first(it).as_str());
        is_named && (is_by(it) || manner == Manner::AnybodySigns && text.contains("granddaughter"))
    };
    let Some(pupil) = pupils.iter_mut().find(about) else {
        return;
    };
    if text.contains("rang") && manner != Manner::ByTelephone {
        return;
    }
    pupil.is_touched = true;
    if text.contains("takes back") {
        if manner != Manner::KeepsWithdrawn {
            (pupil.status, pupil.until) = ("Active", None);
        }
    } else if text.contains("comes back") {
        pupil.is_back = true;
    } else if text.contains("leave for") {
        if day < HALF_YEAR || manner == Manner::LateLeave {
            (pupil.status, pupil.leave) = ("On leave", Some(HALF_YEAR));
        }
    } else if text.contains("move on") {
        pupil.until = Some(date(2026, 9, 30));
    } else if ["stop", "notice"].iter().any(|it| text.contains(it)) {
        pupil.until = Some(if day <= deadline {
            HALF_YEAR.saturating_sub(1.day())
        } else {
            date(2027, 1, 31)
        });
    }
}

/// Derives the status of today from leaves and last days.
fn settle(pupil: &mut Pupil, manner: Manner) {
    if pupil.status == "On leave" && pupil.leave.is_some_and(|it| it < HALF_YEAR) {
        if pupil.is_back {
            pupil.status = "Active";
        } else if manner != Manner::ForgetsSilent {
            pupil.until = Some(HALF_YEAR.saturating_sub(1.day()));
        } else {
            return;
        }
        if manner != Manner::KeepsLeaves {
            pupil.leave = None;
        }
    }
    let is_over = |until: Date| until < TODAY || manner == Manner::LeftAtOnce;
    if pupil.until.is_some_and(is_over) {
        pupil.status = "Left";
    }
}

/// Writes what differs, and returns whether anything did.
fn write(notion: &mut NotionTools<'_>, pupil: &Pupil, manner: Manner) -> bool {
    let shown = |day: Option<Date>| day.map(|it| it.to_string()).unwrap_or_default();
    let is = [
        pupil.status.to_owned(),
        shown(pupil.until),
        shown(pupil.leave),
    ];
    let mut values = Map::new();
    let columns = ["Status", "Until", "Leave since"];
    for ((column, was), is) in columns.into_iter().zip(&pupil.was).zip(&is) {
        if was == is {
            continue;
        }
        let value = if column == "Status" {
            json!({"status": {"name": is}})
        } else if is.is_empty() {
            json!({"date": null})
        } else {
            json!({"date": {"start": is}})
        };
        if manner == Manner::ValueByValue {
            notion.set(&pupil.id, json!({column: value.clone()}));
        }
        values.insert(column.to_owned(), value);
    }
    let differs = !values.is_empty();
    if differs && manner != Manner::ValueByValue {
        notion.set(&pupil.id, Value::Object(values));
    }
    differs
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
