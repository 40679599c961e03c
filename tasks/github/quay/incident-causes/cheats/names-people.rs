//! Wrong: tells the office who made what.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_people: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
