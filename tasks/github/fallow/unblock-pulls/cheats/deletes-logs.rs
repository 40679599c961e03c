//! Wrong: deletes the logs of the runs that it has read.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        deletes_logs: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
