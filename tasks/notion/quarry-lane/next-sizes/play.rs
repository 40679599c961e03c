//! Finds whose instrument has become too small, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, plain, title_of};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    TableFirst,
    LineByLine,
    WithNumbers,
    ArmsOnly,
    JacketOn,
    OnLeaveToo,
    NextSizeOnly,
    SizesDown,
    OldOnes,
}

/// Pupil with the two numbers of this year.
struct Measured {
    name: String,
    kind: String,
    arm: f64,
    height: f64,
}

/// Size with the numbers from which it begins, for violins and for cellos.
struct Size {
    name: String,
    arm: Option<f64>,
    height: Option<f64>,
}

/// Instrument that a pupil has from the school.
struct Lent {
    size: String,
    number: u64,
    pupil: String,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let found = notion.all("API-post-search", &json!({"query": "Instruments"}));
    let of = |kind: &str, title: &str| {
        let mut all = found.iter();
        let it = all.find(|it| it["object"] == kind && title_of(it) == title);
        it.expect("there is one").clone()
    };
    let table = of("database", "Instruments");
    let papers = of("page", "Instruments and measuring");
    let mut lent = None;
    if manner == Manner::TableFirst {
        lent = Some(instruments(&mut notion, &table, manner));
    }
    let pages = notion.children(string(&papers["id"]));
    let page = |title: &str| {
        let page = pages.iter().find(|it| it["child_page"]["title"] == title);
        string(&page.expect("there is such a page")["id"]).to_owned()
    };
    let rules = notion.find("page", "Sizes of violins and cellos");
    let rules = notion.lines(string(&rules["id"]));
    let sizes: Vec<Size> = rules.iter().filter_map(|it| size(it)).collect();
    let measured = measured(&mut notion, &page("Measured in September 2026"), manner);
    let lent = lent.unwrap_or_else(|| instruments(&mut notion, &table, manner));
    let pupils = string(&table["properties"]["Lent to"]["relation"]["database_id"]);
    let here = statuses(&mut notion, pupils);
    let form = notion.lines(&page("Exchanges 2025"));
    assert!(form.iter().any(|it| it.contains(" → ")));

    let mut lines = Vec::new();
    for it in &measured {
        let by_arm = it.kind == "violin" || manner == Manner::ArmsOnly;
        if !["violin", "cello"].contains(&it.kind.as_str()) {
            continue;
        }
        let (id, status) = &here[&it.name];
        let Some(instrument) = lent.iter().find(|lent| lent.pupil == *id) else {
            continue;
        };
        if status != "Active" && manner != Manner::OnLeaveToo {
            continue;
        }
        let begins = |size: &Size| {
            let (from, number) = match by_arm {
                true => (size.arm, it.arm),
                false => (size.height, it.height),
            };
            from.is_some_and(|from| from <= number)
        };
        let Some(needed) = sizes.iter().rposition(begins) else {
            continue;
        };
        let had = sizes.iter().position(|it| it.name == instrument.size);
        let had = had.expect("the size is in the handbook");
        let needed = match manner {
            Manner::NextSizeOnly if needed > had => had + 1,
            _ => needed,
        };
        let differs = match manner {
            Manner::SizesDown => needed != had,
            _ => needed > had,
        };
        if differs {
            let new = &sizes[needed].name;
            lines.push(match manner {
                Manner::WithNumbers => format!(
                    "{}: {} {} (QL-{}) → {new}",
                    it.name, it.kind, instrument.size, instrument.number
                ),
                _ => format!("{}: {} → {new}", it.name, instrument.size),
            });
        }
    }
    let page = page("Exchanges 2026");
    let mut blocks: Vec<Value> = lines
        .iter()
        .map(|it| block("bulleted_list_item", it))
        .collect();
    if manner == Manner::LineByLine {
        blocks.reverse();
        for it in blocks {
            notion.append(&page, vec![it]);
        }
    } else {
        notion.append(&page, blocks);
    }
    format!("{} instruments are exchanged.", lines.len())
}

/// Reads a line of the handbook, such as `1/4: violin from 46, cello from 112`.
fn size(line: &str) -> Option<Size> {
    let (name, numbers) = line.split_once(": violin from ")?;
    let (arm, height) = match numbers.split_once(", cello from ") {
        Some((arm, height)) => (arm, height.parse().ok()),
        None => (numbers, None),
    };
    Some(Size {
        name: name.to_owned(),
        arm: arm.parse().ok(),
        height,
    })
}

fn measured(notion: &mut NotionTools<'_>, page: &str, manner: Manner) -> Vec<Measured> {
    let lines = notion.lines(page);
    let read = |line: &String| {
        let (who, numbers) = line.split_once(": arm ")?;
        let (name, kind) = who.split_once(", ")?;
        let (arm, height) = numbers.split_once(", height ")?;
        Some(Measured {
            name: name.to_owned(),
            kind: kind.to_owned(),
            arm: arm.parse().ok()?,
            height: height.parse().ok()?,
        })
    };
    let mut all: Vec<Measured> = lines.iter().filter_map(read).collect();
    for comment in notion.comments(page) {
        let text = plain(&comment["rich_text"]);
        let last = text.trim_end_matches('.').rsplit(' ').next();
        let arm = last.and_then(|it| it.parse().ok());
        let first = text.split(' ').next().unwrap_or_default();
        let known = all.iter_mut().find(|it| it.name.starts_with(first));
        if let (Some(arm), Some(known)) = (arm, known)
            && manner != Manner::JacketOn
        {
            known.arm = arm;
        }
    }
    all
}

fn instruments(notion: &mut NotionTools<'_>, table: &Value, manner: Manner) -> Vec<Lent> {
    let table = string(&table["id"]);
    let strings = json!({"or": [
        {"property": "Kind", "select": {"equals": "violin"}},
        {"property": "Kind", "select": {"equals": "cello"}},
    ]});
    let rows = match manner {
        Manner::LineByLine => notion.rows(table),
        _ => notion.query(table, strings),
    };
    let mut all = Vec::new();
    for row in &rows {
        let properties = &row["properties"];
        let is_lent = properties["Status"]["status"]["name"] == "Lent";
        let pupil = string(&properties["Lent to"]["relation"][0]["id"]);
        if pupil.is_empty() || !is_lent && manner != Manner::OldOnes {
            continue;
        }
        let number = properties["No."]["unique_id"]["number"].as_u64();
        all.push(Lent {
            size: string(&properties["Size"]["select"]["name"]).to_owned(),
            number: number.unwrap_or_default(),
            pupil: pupil.to_owned(),
        });
    }
    all
}

/// Returns the id and the status of each pupil of a string instrument by name.
fn statuses(notion: &mut NotionTools<'_>, table: &str) -> BTreeMap<String, (String, String)> {
    let strings = ["violin", "viola", "cello"]
        .map(|kind| json!({"property": "Instrument", "select": {"equals": kind}}));
    let rows = notion.query(table, json!({"or": strings}));
    let all = rows.iter().map(|row| {
        let status = string(&row["properties"]["Status"]["status"]["name"]);
        let id = string(&row["id"]);
        (title_of(row), (id.to_owned(), status.to_owned()))
    });
    all.collect()
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
