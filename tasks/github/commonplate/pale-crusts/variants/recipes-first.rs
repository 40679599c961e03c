//! Right: reads the recipes before the pull requests, and comments before it asks.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        in_another_order: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
