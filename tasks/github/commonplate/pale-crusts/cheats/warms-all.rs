//! Wrong: puts 20 degrees on top of each oven, younger recipes too.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        warms_all: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
