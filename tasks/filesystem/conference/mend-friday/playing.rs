//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;
use rules::{FRIDAY, ITEM, PAGE, folder};

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    for path in [
        "00 Rules/conventions.md",
        "00 Rules/friday rules.md",
        "03 Programme/friday/about the poll.txt",
    ] {
        tools.read_text(path);
    }
    let mended = rules::mend(tools, &oversights);
    let draft: String = std::iter::once(Csv::line(["start", "room", "talk"]))
        .chain(mended.draft.iter().map(Csv::line))
        .collect();
    tools.write(&format!("{FRIDAY}/draft 4.csv"), &draft);
    tools.write(&format!("{FRIDAY}/changes.json"), &mended.changes_text());
    let page = tools.read_text(PAGE);
    tools.write(PAGE, &mended.page(&page));
    tools.edit(
        folder::TO_DO,
        &format!("- [ ] {ITEM}"),
        &format!("- [x] {ITEM}"),
    );
    "Friday is mended.".to_owned()
}
