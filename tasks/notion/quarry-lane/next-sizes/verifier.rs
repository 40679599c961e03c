//! The page of the exchanges has a new line for each of six pupils, with the old and the new size.

mod line;

use std::collections::BTreeMap;

use line::Line;
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const PAGE: [&str; 2] = ["Instruments and measuring", "Exchanges 2026"];
/// Pupils whose instrument is too small, with its size and the next one, worked out by hand.
const EXCHANGES: [(&str, &str, &str); 6] = [
    ("Benno Krist", "1/4", "1/2"),
    ("Clea Dunne", "1/2", "3/4"),
    ("Esra Yilmaz", "1/4", "1/2"),
    ("Gwen Tarrant", "3/4", "4/4"),
    ("Kerstin Aumann", "3/4", "4/4"),
    ("Lasse Brod", "1/8", "1/2"),
];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&PAGE).required().id().to_owned();
    let pupils: Vec<String> = start
        .database("Pupils")
        .required()
        .rows()
        .iter()
        .map(|row| row.title())
        .collect();
    let end = Workspace::read(&task.end());
    let lines: Found<Vec<Line>> = end.try_map(|end| {
        let new = end.outline(&page).into_iter();
        let new = new.filter(|(_, node)| start.node(node.id()).get().is_err());
        let lines = new.map(|(level, node)| Line {
            text: end.text_of(node),
            is_item: level == 0 && node.type_name() == "bulleted_list_item",
        });
        Ok(lines
            .filter(|line| line.is_item || !line.text.trim().is_empty())
            .collect())
    });
    let mut expected: Vec<String> = EXCHANGES.iter().map(|it| it.0.to_owned()).collect();
    expected.sort();
    task.check(
        "the pupils",
        lines.satisfies(|lines| {
            let mut found: Vec<String> = lines.iter().map(|line| line.pupil(&pupils)).collect();
            found.sort();
            Condition::equal(&expected, &found)
        }),
    );
    let by_pupil: Found<BTreeMap<String, Line>> = lines.try_map(|lines| {
        let all = lines.iter().map(|line| (line.pupil(&pupils), line.clone()));
        Ok(all.collect())
    });
    let sizes = EXCHANGES.map(|(pupil, old, new)| {
        by_pupil
            .satisfies(|lines| -> Result<(), String> {
                let line = lines.get(pupil).ok_or("expected a line")?;
                line.exchanges(old, new)
            })
            .at(pupil)
    });
    task.check("the sizes", Condition::all(sizes));
    task.check(
        "items of a list",
        lines.satisfies(|lines| {
            let other = lines.iter().find(|line| !line.is_item);
            let text = other.map_or("no line", |line| &line.text);
            Condition::when(
                other.is_none() && !lines.is_empty(),
                format!("expected items of the list on the page, found {text:?}"),
            )
        }),
    );
    nothing_else_changed(task, &start, &end, &Allowed::new().below(&page));
}
