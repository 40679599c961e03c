//! Wrong: the report is counted as a file.

#[path = "../counting.rs"]
mod counting;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    counting::play(
        tools,
        &counting::Rules {
            has_total: true,
            leaves_itself_out: false,
        },
    )
}
