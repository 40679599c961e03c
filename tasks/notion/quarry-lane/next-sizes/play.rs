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

/// Instrument that a pupil has from the school.
struct Lent {
    size: String,
    number: u64,
    pupil: String,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let mut lent = None;
    if manner == Manner::TableFirst {
        lent = Some(instruments(&mut notion, manner));
    }
    let rules = notion.find("page", "Sizes of violins and cellos");
    let rules = rows(&mut notion, string(&rules["id"]));
    let measured = measured(&mut notion, manner);
    let lent = lent.unwrap_or_else(|| instruments(&mut notion, manner));
    let here = statuses(&mut notion);
    let old = notion.find("page", "Exchanges 2025");
    let form = notion.lines(string(&old["id"]));
    assert!(form.iter().any(|it| it.contains(" → ")));

    let mut lines = Vec::new();
    for it in &measured {
        let column = match it.kind.as_str() {
            "violin" => 1,
            "cello" if manner == Manner::ArmsOnly => 1,
            "cello" => 2,
            _ => continue,
        };
        let (id, status) = &here[&it.name];
        let Some(instrument) = lent.iter().find(|lent| lent.pupil == *id) else {
            continue;
        };
        if status != "Active" && manner != Manner::OnLeaveToo {
            continue;
        }
        let number = if column == 1 { it.arm } else { it.height };
        let begins = |row: &&Vec<String>| row[column].parse::<f64>().is_ok_and(|it| it <= number);
        let Some(needed) = rules.iter().rposition(|row| begins(&row)) else {
            continue;
        };
        let had = rules.iter().position(|row| row[0] == instrument.size);
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
            let new = &rules[needed][0];
            lines.push(match manner {
                Manner::WithNumbers => format!(
                    "{}: {} {} (QL-{}) → {new}",
                    it.name, it.kind, instrument.size, instrument.number
                ),
                _ => format!("{}: {} → {new}", it.name, instrument.size),
            });
        }
    }
    let page = notion.find("page", "Exchanges 2026");
    let page = string(&page["id"]);
    let mut blocks: Vec<Value> = lines
        .iter()
        .map(|it| block("bulleted_list_item", it))
        .collect();
    if manner == Manner::LineByLine {
        blocks.reverse();
        for it in blocks {
            notion.append(page, vec![it]);
        }
    } else {
        notion.append(page, blocks);
    }
    format!("{} instruments are exchanged.", lines.len())
}

/// Returns the rows of the table on a page, without its header.
fn rows(notion: &mut NotionTools<'_>, page: &str) -> Vec<Vec<String>> {
    let blocks = notion.children(page);
    let table = blocks.iter().find(|it| it["type"] == "table");
    let rows = notion.children(string(&table.expect("a table")["id"]));
    let cells = |row: &Value| {
        let cells = row["table_row"]["cells"].as_array().into_iter().flatten();
        cells.map(plain).collect()
    };
    rows.iter().skip(1).map(cells).collect()
}

fn measured(notion: &mut NotionTools<'_>, manner: Manner) -> Vec<Measured> {
    let page = notion.find("page", "Measured in September 2026");
    let page = string(&page["id"]);
    let mut all: Vec<Measured> = rows(notion, page)
        .into_iter()
        .map(|row| Measured {
            name: row[0].clone(),
            kind: row[1].clone(),
            arm: row[2].parse().expect("a number"),
            height: row[3].parse().expect("a number"),
        })
        .collect();
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

fn instruments(notion: &mut NotionTools<'_>, manner: Manner) -> Vec<Lent> {
    let table = notion.find("database", "Instruments");
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
        all.push(Lent {
            size: string(&properties["Size"]["select"]["name"]).to_owned(),
            number: properties["No."]["unique_id"]["number"]
                .as_u64()
                .unwrap_or_default(),
            pupil: pupil.to_owned(),
        });
    }
    all
}

/// Returns the id and the status of each pupil by name.
fn statuses(notion: &mut NotionTools<'_>) -> BTreeMap<String, (String, String)> {
    let table = notion.find("database", "Pupils");
    let strings = ["violin", "viola", "cello"]
        .map(|kind| json!({"property": "Instrument", "select": {"equals": kind}}));
    let rows = notion.query(string(&table["id"]), json!({"or": strings}));
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
