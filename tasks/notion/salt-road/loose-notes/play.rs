//! Puts each note below its heading and takes it off the list, or makes one mistake.

#![allow(dead_code, reason = "each guest does the task in one manner")]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};
use mcpmark_guest_notion::{NotionTools, block, plain, rich_text};

/// Manner of doing the task: right, or with one mistake.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    Right,
    ListFirst,
    RewritesOlder,
    AtTheEnd,
    KeepsOlder,
    ClearsAll,
    WithNames,
    LeavesList,
}

const HEADINGS: [&str; 3] = ["Parking", "Power", "Neighbours"];
/// Words by which a note is about one of the headings.
const ABOUT: [(&str, &str); 6] = [
    ("fuse", "Power"),
    ("32 A", "Power"),
    ("cabinet", "Power"),
    ("trucks", "Parking"),
    ("vans", "Parking"),
    ("", "Neighbours"),
];

/// Note of the list.
struct Note {
    id: String,
    place: String,
    words: String,
}

pub fn play(tools: &mut Tools, manner: Manner) -> String {
    let mut notion = NotionTools::new(tools);
    let rules = notion.find("page", "Scouting pages");
    let rules = notion.lines(string(&rules["id"]));
    assert!(
        rules
            .iter()
            .any(|it| it.contains("Three headings, in this order"))
    );
    let places = notion.find("page", "Places, notes");
    let pages = notion.children(string(&places["id"]));
    let page = |title: &str| {
        let page = pages.iter().find(|it| it["child_page"]["title"] == title);
        string(&page.expect("the place has a page")["id"]).to_owned()
    };
    let list = notion.children(&page("Loose notes"));
    let mut notes: Vec<Note> = list.iter().filter_map(note).collect();
    if manner == Manner::ListFirst {
        notes.reverse();
    }
    let mut count = 0;
    for note in notes {
        let target = page(&note.place);
        let blocks = notion.children(&target);
        let is_unused = blocks.iter().any(|it| it["type"] == "callout");
        if is_unused && manner != Manner::ClearsAll {
            continue;
        }
        let clear = |notion: &mut NotionTools<'_>| {
            notion.call("API-delete-a-block", &json!({"block_id": note.id}));
        };
        if manner == Manner::ListFirst {
            clear(&mut notion);
        }
        if !is_unused {
            put(&mut notion, &target, &blocks, &note, manner);
        }
        if ![Manner::ListFirst, Manner::LeavesList].contains(&manner) {
            clear(&mut notion);
        }
        count += 1;
    }
    format!("{count} notes are on their pages.")
}

/// Reads a line of the list: day, place and words.
fn note(block: &Value) -> Option<Note> {
    let text = plain(&block["bulleted_list_item"]["rich_text"]);
    let (head, words) = text.split_once(": ")?;
    let (_, place) = head.split_once(", ")?;
    Some(Note {
        id: string(&block["id"]).to_owned(),
        place: place.to_owned(),
        words: words.to_owned(),
    })
}

/// Adds a note to the page of its place.
fn put(notion: &mut NotionTools<'_>, page: &str, blocks: &[Value], note: &Note, manner: Manner) {
    let about = ABOUT.iter().find(|(word, _)| note.words.contains(word));
    let (_, heading) = about.expect("the last word is in each note");
    let words = match manner {
        Manner::WithNames => format!("{}: {}", note.place, note.words),
        _ => note.words.clone(),
    };
    let at = |name: &str| {
        blocks
            .iter()
            .position(|it| plain(&it["heading_2"]["rich_text"]) == name)
    };
    let older = blocks.iter().find(|it| {
        let text = plain(&it["bulleted_list_item"]["rich_text"]);
        text == "Station forecourt." && note.words.contains("forecourt")
            || text.contains("cabinet 4") && note.words.contains("cabinet 4")
    });
    if let Some(older) = older.filter(|_| manner == Manner::RewritesOlder) {
        let item = json!({"rich_text": rich_text(&words)});
        let arguments = json!({"block_id": older["id"], "bulleted_list_item": item});
        notion.call("API-update-a-block", &arguments);
        return;
    }
    // The last block of the part, or of the last part that comes before one that is missing.
    let rank = HEADINGS
        .iter()
        .position(|it| it == heading)
        .unwrap_or_default();
    let before = HEADINGS[..=rank].iter().rev().find_map(|it| at(it));
    let end = before.map_or(0, |from| {
        let below = blocks[from + 1..].iter();
        from + below.take_while(|it| it["type"] != "heading_2").count()
    });
    let mut new = vec![block("bulleted_list_item", &words)];
    let mut after = blocks[end]["id"].clone();
    if at(heading).is_none() {
        new.insert(0, block("heading_2", heading));
        if manner == Manner::AtTheEnd {
            after = blocks[blocks.len() - 1]["id"].clone();
        }
    }
    if manner == Manner::RewritesOlder {
        for it in new {
            let answer = notion.call(
                "API-patch-block-children",
                &json!({"block_id": page, "children": [it], "after": after}),
            );
            after = answer["results"][0]["id"].clone();
        }
    } else {
        notion.call(
            "API-patch-block-children",
            &json!({"block_id": page, "children": new, "after": after}),
        );
    }
    if let Some(older) = older.filter(|_| manner != Manner::KeepsOlder) {
        notion.call("API-delete-a-block", &json!({"block_id": older["id"]}));
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
