//! Wrong: takes the braces that are shown for a placeholder.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        doubled_braces: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
