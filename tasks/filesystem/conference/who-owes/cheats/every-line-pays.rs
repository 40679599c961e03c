//! Wrong: counts each line of the log, also those that repeat a transaction.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            every_line_pays: true,
            ..Default::default()
        },
    )
}
