//! Right in another order: ticks the item first, and writes the list of excluded reviews before the decisions.

use mcpmark_guest::{Reader, Tools};

#[path = "../rules.rs"]
mod rules;

use rules::folder::TO_DO;
use rules::{DECISIONS, EXCLUDED, ITEM};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let open = format!("- [ ] {ITEM}");
    tools.edit(TO_DO, &open, &open.replace("[ ]", "[x]"));
    let outcome = rules::outcome(tools, "Heritage", None);
    for (path, lines) in [(EXCLUDED, outcome.excluded), (DECISIONS, outcome.decisions)] {
        let text = tools.raw(path) + &lines.join("\n") + "\n";
        tools.write(path, &text);
    }
    "Heritage is decided.".to_owned()
}
