//! Right by another route: adds each block behind the last line of a list with an edit, without a line end behind it, and
//! rewrites the list of things to do.

use mcpmark_guest::{Reader, Tools};

#[path = "../rules.rs"]
mod rules;

use rules::folder::{TO_DO, ticked};
use rules::{DECISIONS, EXCLUDED, ITEM};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let outcome = rules::outcome(tools, "Heritage", None);
    for (path, lines) in [(DECISIONS, outcome.decisions), (EXCLUDED, outcome.excluded)] {
        let text = tools.raw(path);
        let last = text.lines().last().expect("the list has lines");
        let old = format!("{last}\n");
        tools.edit(path, &old, &format!("{old}{}", lines.join("\n")));
    }
    let list = tools.raw(TO_DO);
    tools.write(TO_DO, &ticked(&list, ITEM));
    "Heritage is decided.".to_owned()
}
