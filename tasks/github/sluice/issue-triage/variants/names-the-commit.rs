//! Right: tells the reporter the commit that mended the fault.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        names_commit: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
