//! Wrong: counts hours by the wall clock, through the change of the clock.

#[path = "../../lab.rs"]
mod lab;
#[path = "../play.rs"]
mod play;
#[path = "../rules.rs"]
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &rules::Slips {
            counts_by_wall_clock: true,
            ..Default::default()
        },
    )
}
