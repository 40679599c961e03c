//! Wrong: applies corrections that nobody has signed.

#[path = "../exports.rs"]
mod exports;
#[path = "../../lab.rs"]
mod lab;
#[path = "../play.rs"]
mod play;
#[path = "../report.rs"]
mod report;
#[path = "../rules.rs"]
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &rules::Slips {
            applies_all: true,
            ..Default::default()
        },
    )
}
