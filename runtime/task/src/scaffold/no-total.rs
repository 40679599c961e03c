//! Wrong: the last line is missing.

#[path = "../counting.rs"]
mod counting;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    counting::play(
        tools,
        &counting::Rules {
            has_total: false,
            leaves_itself_out: true,
        },
    )
}
