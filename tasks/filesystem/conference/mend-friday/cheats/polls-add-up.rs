//! Wrong: adds up all answers of a person, where the latest replaces the others.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            polls_add_up: true,
            ..Default::default()
        },
    )
}
