//! Nine notes are on the pages of their places, below the right heading, and two are left on the list.

use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_notion::{Allowed, Kind, Node, Text, What, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const HEADINGS: [&str; 3] = ["Parking", "Power", "Neighbours"];

/// Place, heading and words of each note, and the older note that it contradicts. The headings are chosen by hand.
const NOTES: [(&str, &str, &str, Option<&str>); 9] = [
    (
        "Bakery",
        "Power",
        "The oven hangs on fuse 3, it must stay in.",
        None,
    ),
    (
        "Marsh road",
        "Neighbours",
        "A farmer moves his cows at eight, he waits for nobody.",
        None,
    ),
    (
        "Boathouse",
        "Neighbours",
        "The regatta club rigs its masts next door on Saturdays.",
        None,
    ),
    (
        "Old quay bar",
        "Power",
        "The cellar has 32 A, Mrs Aaker opens it.",
        None,
    ),
    (
        "Railway halt",
        "Parking",
        "No trucks on the forecourt any more, it is being paved. Goods yard instead.",
        Some("Station forecourt."),
    ),
    (
        "Post office",
        "Parking",
        "Two vans in the lane, mirrors folded in.",
        None,
    ),
    (
        "Doctor's surgery",
        "Neighbours",
        "Patients on the first floor, no drilling before noon.",
        None,
    ),
    (
        "Harbour wall",
        "Power",
        "The key for cabinet 4 is with the night porter now, not with Lunde.",
        Some("The key for cabinet 4 is with Lunde."),
    ),
    (
        "Magistrate's office",
        "Neighbours",
        "Weddings on Fridays, with a brass band.",
        None,
    ),
];

/// Heading with its items, sorted.
type Part = (String, Vec<String>);

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let end = Workspace::read(&task.end());
    let list = start
        .page(&["Places, notes", "Loose notes"])
        .required()
        .id()
        .to_owned();
    let mut allowed = Allowed::new();
    let mut pages = Vec::new();
    let mut left = lines(&start, &list);
    for (place, heading, words, older) in NOTES {
        let page = start
            .page(&["Places, notes", place])
            .required()
            .id()
            .to_owned();
        let mut expected = parts(&start, &page).expect("the pages of the start have the form");
        if let Some(older) = older {
            let blocks = start.children(&page);
            let block = blocks.iter().find(|it| start.text_of(it) == older);
            let block = block.expect("the older note is on the page").id();
            allowed = allowed.part(block, What::Trashed).part(block, What::Text);
            for (_, items) in &mut expected {
                items.retain(|it| it != older);
            }
        }
        match expected.iter_mut().find(|(name, _)| name == heading) {
            Some((_, items)) => items.push(words.to_owned()),
            None => expected.push((heading.to_owned(), vec![words.to_owned()])),
        }
        expected.sort_by_key(|(name, _)| HEADINGS.iter().position(|it| it == name));
        for (_, items) in &mut expected {
            items.sort();
        }
        pages.push(end.satisfies(|end| -> Result<(), String> {
            let found = parts(end, &page).map_err(|error| format!("{place}: {error}"))?;
            if found == expected {
                Ok(())
            } else {
                Err(format!("{place}: expected {expected:?}, found {found:?}"))
            }
        }));
        allowed = allowed.below(&page);

        let is_note = |node: &&Node| start.text_of(node).ends_with(&format!("{place}: {words}"));
        let note = start.children(&list).into_iter().find(is_note);
        let note = note.expect("the note is on the list");
        allowed = allowed.part(note.id(), What::Trashed);
        left.retain(|it| *it != start.text_of(note));
    }
    task.check("the pages of the places", Condition::all(pages));
    task.check(
        "the list",
        end.satisfies(|end| Condition::equal(&left, &lines(end, &list))),
    );
    nothing_else_changed(task, &start, &end, &allowed);
}

fn lines(workspace: &Workspace, page: &str) -> Vec<String> {
    let blocks = workspace.children(page).into_iter();
    blocks
        .map(|it| workspace.text_of(it))
        .filter(|it| !it.is_empty())
        .collect()
}

/// Reads the headings of a page in their order, and the items below each.
fn parts(workspace: &Workspace, page: &str) -> Result<Vec<Part>, String> {
    // Blocks in front of the first heading form a part without a name.
    let mut parts: Vec<Part> = vec![(String::new(), Vec::new())];
    for (level, node) in workspace.outline(page) {
        let text = workspace.text_of(node).trim().to_owned();
        let kind = node.type_name();
        let is_plain = node.text().is_none_or(Text::is_unstyled)
            && matches!(&node.kind, Kind::Block { fields, .. } if fields.is_empty());
        match kind {
            _ if text.is_empty() => {}
            "heading_2" if level == 0 && is_plain => parts.push((text, Vec::new())),
            "bulleted_list_item" if level == 0 && is_plain => {
                let (_, items) = parts.last_mut().ok_or("expected a part")?;
                items.push(text);
            }
            _ if level == 0 && parts.len() == 1 => parts[0].1.push(text),
            _ => {
                return Err(format!(
                    "expected plain headings and items only, found {kind} {text:?}"
                ));
            }
        }
    }
    for (_, items) in &mut parts {
        items.sort();
    }
    Ok(parts)
}
