//! Wrong: takes the wall clock for a clock that goes evenly through the weekend.

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
            wall_clock_is_even: true,
            ..Default::default()
        },
    )
}
