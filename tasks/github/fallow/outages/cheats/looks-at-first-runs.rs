//! Wrong: names the jobs of the first red run of an outage alone.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        looks_at_first_runs: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
