//! Wrong: leaves out what was pushed without a pull request.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        forgets_pushes: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
