//! Wrong: puts whole tables back, and with them what was added since.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        reverts_files: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
