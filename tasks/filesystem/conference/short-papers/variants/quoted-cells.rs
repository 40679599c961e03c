//! Right by another route: adds each block behind the last line of a list with an edit, with quotes around each cell, and
//! ticks the item with a capital.

use mcpmark_guest::{Reader, Tools};

#[path = "../rules.rs"]
mod rules;

use rules::folder::TO_DO;
use rules::{DECISIONS, EXCLUDED, ITEM};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let outcome = rules::outcome(tools, "Heritage", None);
    for (path, lines) in [(DECISIONS, outcome.decisions), (EXCLUDED, outcome.excluded)] {
        let text = tools.raw(path);
        let last = text.lines().last().expect("the list has lines");
        let old = format!("{last}\n");
        let rows = lines
            .iter()
            .map(|line| format!("\"{}\"\n", line.replace(',', "\",\"")));
        tools.edit(path, &old, &format!("{old}{}", rows.collect::<String>()));
    }
    let open = format!("- [ ] {ITEM}");
    tools.edit(TO_DO, &open, &open.replace("[ ]", "[X]"));
    "Heritage is decided.".to_owned()
}
