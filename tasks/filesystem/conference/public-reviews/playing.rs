//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::Tools;

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("00 Rules/conventions.md");
    tools.read_text("00 Rules/privacy.md");
    let papers = rules::published(tools, &oversights);
    for paper in &papers {
        if let Some(text) = &paper.text {
            tools.write(&format!("{}/{}.txt", rules::PUBLIC, paper.number), text);
        }
    }
    tools.write(
        &format!("{}/index.md", rules::PUBLIC),
        &rules::index(&papers),
    );
    format!("The reviews of {} papers are public.", papers.len())
}
