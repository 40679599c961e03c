//! Plays the task; a wrong solution makes one mistake.

use mcpmark_guest::{Reader, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Mistake;
use rules::folder::TO_DO;
use rules::{DECISIONS, EXCLUDED, ITEM};

pub fn play(tools: &mut Tools, mistake: Option<Mistake>) -> String {
    for path in [
        "00 Rules/conventions.md",
        "00 Rules/review rules.md",
        "01 Submissions/about the lists.txt",
    ] {
        tools.read_text(path);
    }
    let outcome = rules::outcome(tools, "Heritage", mistake);
    append(tools, DECISIONS, &outcome.decisions);
    append(tools, EXCLUDED, &outcome.excluded);
    let open = format!("- [ ] {ITEM}");
    tools.edit(TO_DO, &open, &open.replace("[ ]", "[x]"));
    format!("{} papers are decided.", outcome.decisions.len())
}

fn append(tools: &mut Tools, path: &str, lines: &[String]) {
    let text = tools.raw(path) + &lines.join("\n") + "\n";
    tools.write(path, &text);
}
