//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("00 Rules/conventions.md");
    tools.read_text("03 Programme/about the timetable.md");
    let calls = rules::calls(tools, &oversights);
    let lines = rules::sheet(&calls);
    let sheet: String = std::iter::once(Csv::line(rules::HEADER))
        .chain(lines.iter().map(Csv::line))
        .collect();
    tools.write(rules::SHEET, &sheet);
    tools.write(rules::SUMMARY, &(rules::summary(&calls).join("\n") + "\n"));
    tools.edit(
        rules::folder::TO_DO,
        &format!("- [ ] {}", rules::ITEM),
        &format!("- [x] {}", rules::ITEM),
    );
    format!("{} calls are on the sheet.", calls.len())
}
