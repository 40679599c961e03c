//! Wrong: hides whole names only.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            misses_surnames: true,
            ..Default::default()
        },
    )
}
