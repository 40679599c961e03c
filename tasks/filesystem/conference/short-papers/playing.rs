//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;
use rules::REVIEWS;

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    for path in [
        "00 Rules/conventions.md",
        "00 Rules/review rules.md",
        "01 Submissions/about the lists.txt",
    ] {
        tools.read_text(path);
    }
    let outcome = rules::outcome(tools, &oversights);
    let decisions: String = std::iter::once(Csv::line(rules::DECISIONS))
        .chain(outcome.decisions.iter().map(Csv::line))
        .collect();
    let excluded: String = std::iter::once(Csv::line(rules::EXCLUDED))
        .chain(outcome.excluded.iter().map(Csv::line))
        .collect();
    tools.write(&format!("{REVIEWS}/decisions.csv"), &decisions);
    tools.write(&format!("{REVIEWS}/excluded.csv"), &excluded);
    tools.write(&format!("{REVIEWS}/places.json"), &outcome.places_text());
    tools.edit(
        rules::folder::TO_DO,
        &format!("- [ ] {}", rules::ITEM),
        &format!("- [x] {}", rules::ITEM),
    );
    format!("{} papers are decided.", outcome.decisions.len())
}
