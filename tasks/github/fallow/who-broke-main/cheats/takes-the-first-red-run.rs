//! Wrong: blames the commit with which the outage began for every job.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        takes_the_first_red_run: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
