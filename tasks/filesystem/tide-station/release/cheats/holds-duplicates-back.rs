//! Wrong: takes a duplicate of a finished issue for unfinished.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        holds_duplicates_back: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
