//! Wrong: does not say in the message which commit it takes back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_no_commit: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
