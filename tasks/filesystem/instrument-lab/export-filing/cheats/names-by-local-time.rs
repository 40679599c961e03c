//! Wrong: names the runs by the wall clock.

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
            keeps_local_time: true,
            ..Default::default()
        },
    )
}
