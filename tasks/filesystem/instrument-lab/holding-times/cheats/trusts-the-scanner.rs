//! Wrong: takes the stamps of the slow scanner as they are.

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
            trusts_the_scanner: true,
            ..Default::default()
        },
    )
}
