//! Wrong: labels by the runs of the old heads.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        trusts_old_runs: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
