//! Wrong: lets a talk clash with one that leaves its place anyway.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            marks_on_sight: true,
            ..Default::default()
        },
    )
}
