//! A new page below the wrap reports has the parts of the template with the facts of Day 05, and the wrap is in the
//! table.

use std::collections::BTreeMap;

use mcpmark_guest::prose::Fact;
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Cell, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const TITLE: &str = "Wrap report, Day 05";
const PARTS: [&str; 4] = ["Shot", "Not finished", "Times", "Remarks"];
const SHOT: [&str; 2] = ["001 Tar", "047 The boy runs"];
const OPEN: [&str; 1] = ["072 Rain on the wall"];
const WRAP: &str = "19:40";

/// Headings in order, and the lines below each, with the types of their blocks.
#[derive(Default)]
struct Report {
    parts: Vec<String>,
    lines: BTreeMap<String, Vec<(String, String)>>,
}

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let all = start.page(&["Wrap reports"]).required().id().to_owned();
    let day = start.database("Shooting days").required();
    let day = day.row("Day 05").required().id().to_owned();
    let end = Workspace::read(&task.end());
    let page: Found<String> = end.try_map(|end| {
        let pages = end.titled_below(&all);
        let new: Vec<_> = pages
            .iter()
            .filter(|page| start.node(page.id()).get().is_err())
            .collect();
        match new.as_slice() {
            [page] if end.title(page).as_deref().map(str::trim) == Some(TITLE) => {
                Ok(page.id().to_owned())
            }
            [page] => Err(format!("expected {TITLE:?}, found {:?}", end.title(page))),
            new => Err(format!("expected one new page, found {}", new.len())),
        }
    });
    task.check("one report in its place", page.exists());
    let report: Found<Report> = end.try_map(|end| read(end, page.get()?));
    task.check(
        "the headings",
        report.satisfies(|report| {
            let found: Vec<&str> = report.parts.iter().map(String::as_str).collect();
            Condition::equal(&PARTS.to_vec(), &found)
        }),
    );
    task.check(
        "what was shot",
        report.satisfies(|it| scenes(it, "Shot", &SHOT)),
    );
    task.check(
        "what is not finished",
        report.satisfies(|it| scenes(it, "Not finished", &OPEN)),
    );
    let times: Found<String> = report.try_map(|report| {
        let lines = report.lines.get("Times");
        let lines = lines.ok_or("expected a part with the times")?.iter();
        Ok(lines
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("\n"))
    });
    task.check("the times", times_are_right(&times));
    let wrap = end.try_map(|end| {
        let row = end.database("Shooting days");
        row.get()?.row_by_id(&day)?.cell("Wrap")
    });
    task.check(
        "the wrap in the table",
        wrap.is(Cell::Text(WRAP.to_owned())),
    );

    let mut allowed = Allowed::new().value(&day, "Wrap");
    if let Ok(page) = page.get() {
        allowed = allowed.added(page).below(page);
    }
    nothing_else_changed(task, &start, &end, &allowed);
}

fn read(workspace: &Workspace, page: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut at = String::new();
    for (level, node) in workspace.outline(page) {
        let text = workspace.text_of(node).trim().to_owned();
        match node.type_name() {
            "heading_2" | "bulleted_list_item" if level > 0 => {
                return Err(format!("expected {text:?} at the level of the page"));
            }
            "heading_2" => {
                report.parts.push(text.clone());
                at = text;
            }
            _ if text.is_empty() => {}
            _ if at.is_empty() => return Err(format!("expected a heading first, found {text:?}")),
            kind => {
                let lines = report.lines.entry(at.clone()).or_default();
                lines.push((kind.to_owned(), text));
            }
        }
    }
    Ok(report)
}

/// Compares the items of a part by the scenes with which they begin. What follows is free.
fn scenes(report: &Report, part: &str, expected: &[&str]) -> Result<(), String> {
    let lines = report.lines.get(part).map_or(&[][..], Vec::as_slice);
    let mut found: Vec<&str> = Vec::new();
    for (kind, text) in lines {
        let is_item = kind == "bulleted_list_item";
        let scene = expected.iter().find(|scene| begins_with(text, scene));
        match scene {
            Some(scene) if is_item => found.push(scene),
            _ => {
                return Err(format!(
                    "expected items for {expected:?}, found {kind} {text:?}"
                ));
            }
        }
    }
    found.sort_unstable();
    if found == expected {
        Ok(())
    } else {
        Err(format!("expected {expected:?}, found {found:?}"))
    }
}

/// Whether an item is about a scene: its number and title, with any marks in between.
fn begins_with(text: &str, scene: &str) -> bool {
    let mut rest = text.chars();
    for expected in scene.chars().filter(|it| it.is_alphanumeric()) {
        let found = rest.find(|it| it.is_alphanumeric());
        if found.is_none_or(|it| !it.to_lowercase().eq(expected.to_lowercase())) {
            return false;
        }
    }
    !rest.next().is_some_and(char::is_alphanumeric)
}

/// Call 07:45 and wrap 19:40 make 11 hours and 55 minutes, of which 55 minutes are overtime.
fn times_are_right(text: &Found<String>) -> Condition {
    let prose = text.prose();
    let call = prose.states(&Fact::time(7, 45));
    let wrap = prose.states(&Fact::time(19, 40));
    let overtime = Fact::quantity(55, "minutes").about(["overtime"]);
    let others = text.satisfies(|text| {
        let is_other = text.contains("19:25") || text.contains("7:25 p");
        Condition::when(!is_other, "expected no other wrap")
    });
    let none = prose.does_not_state(&Fact::words(["overtime"]).denied());
    call.and(wrap)
        .and(prose.states(&overtime))
        .and(others)
        .and(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_any_usual_form() {
        let holds = |text: &str| times_are_right(&Found::new("it", Ok(text.to_owned()))).passed();
        for text in [
            "Call 07:45, wrap 19:40, overtime 55 minutes",
            "Call 7:45 am, wrap 7:40 pm, 55 min overtime",
            "Call 07:45\nWrap 19:40\nOvertime: 55 min",
            "Call: 07:45 · Wrap: 19:40 · Overtime: 55 minutes (from 18:45 on)",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in [
            "Call 07:45, wrap 19:40, overtime 40 minutes",
            "Call 07:45, wrap 19:25, overtime 55 minutes",
            "Call 07:30, wrap 19:40, overtime 55 minutes",
            "Call 07:45, wrap 19:40, no overtime",
            "Call 07:45, wrap 19:40, no overtime (55 minutes below)",
            "Call 07:45, wrap 19:40 or 19:25, overtime 55 minutes",
        ] {
            assert!(!holds(text), "{text}");
        }
    }

    #[test]
    fn items_begin_with_their_scene() {
        assert!(begins_with("001 Tar", "001 Tar"));
        assert!(begins_with(
            "072 – Rain on the wall: the last shot",
            "072 Rain on the wall"
        ));
        assert!(!begins_with("001 Tart", "001 Tar"));
        assert!(!begins_with("047 Tar", "001 Tar"));
    }
}
