//! Wrong: replaces the old number wherever it stands in the files of the table.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        replaces_every_number: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
