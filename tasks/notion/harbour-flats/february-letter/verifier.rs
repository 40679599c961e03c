//! A new page among the letters states what February cost an owner, and nothing that it must not.

mod facts;

use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_notion::{Allowed, Node, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const LETTERS: [&str; 2] = ["Handbook", "Letters to owners"];
const TITLE: &str = "Mrs Quayle, February 2026";

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let above = start.page(&LETTERS).required().id().to_owned();
    let end = Workspace::read(&task.end());
    let letter: Found<String> = end.try_map(|end| {
        let below = end.titled_below(&above).into_iter();
        let new = below.filter(|node| start.node(node.id()).get().is_err());
        match new.collect::<Vec<&Node>>().as_slice() {
            [page] => Ok(page.id().to_owned()),
            all => Err(format!("expected one new page, found {}", all.len())),
        }
    });
    let title = letter.try_map(|id| {
        let end = end.get()?;
        Ok(end.title(*end.node(id).get()?).unwrap_or_default())
    });
    task.check(
        "one page among the letters",
        title.satisfies(|title| Condition::equal(&TITLE, &title.trim())),
    );
    let text = letter.try_map(|id| {
        let end = end.get()?;
        let lines = end.outline(id).into_iter();
        Ok(lines
            .map(|(_, node)| end.text_of(node))
            .collect::<Vec<String>>()
            .join("\n\n"))
    });
    task.check("the order of the letter", facts::order(&text));
    task.check(
        "everything is said once",
        text.satisfies(|text| {
            let mut lines: Vec<&str> = text.lines().filter(|it| !it.trim().is_empty()).collect();
            let count = lines.len();
            lines.sort_unstable();
            lines.dedup();
            Condition::when(lines.len() == count, "expected no paragraph twice")
        }),
    );
    for (name, condition) in facts::conditions(&text) {
        task.check(format!("the letter: {name}"), condition);
    }
    let mut allowed = Allowed::new();
    if let Ok(id) = letter.get() {
        allowed = allowed.added(id).below(id);
    }
    nothing_else_changed(task, &start, &end, &allowed);
}
