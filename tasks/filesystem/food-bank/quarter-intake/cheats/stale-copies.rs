//! Wrong: takes every recovered file for the better one.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    adding::play(
        tools,
        &adding::Rules {
            heed_notes_on_copies: false,
            convert_pounds: true,
        },
    )
}
