//! Wrong: looks for the file under the name that it has today.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        new_name_only: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
