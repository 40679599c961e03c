//! Wrong: asks the owners of every line that fits.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        every_line_asks: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
