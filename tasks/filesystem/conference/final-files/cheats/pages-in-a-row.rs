//! Wrong: lets papers begin on left-hand pages.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            pages_in_a_row: true,
            ..Default::default()
        },
    )
}
