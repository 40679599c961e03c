//! Wrong: takes the whole file from before the change, without what came later.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        restores_the_file: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
