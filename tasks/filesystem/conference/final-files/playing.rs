//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("00 Rules/conventions.md");
    tools.read_text("00 Rules/proceedings.md");
    let volumes = rules::volumes(tools, &oversights);
    for (name, place) in &volumes.moves {
        tools.rename(
            &format!("{}/{name}", rules::UPLOADS),
            &format!("{}/{place}", rules::PROCEEDINGS),
        );
    }
    let contents: String = std::iter::once(Csv::line(rules::HEADER))
        .chain(volumes.contents.iter().map(Csv::line))
        .collect();
    tools.write(&format!("{}/contents.csv", rules::PROCEEDINGS), &contents);
    tools.write(
        &format!("{}/missing.md", rules::PROCEEDINGS),
        &volumes.missing_text(),
    );
    format!("{} papers are with the printer.", volumes.contents.len())
}
