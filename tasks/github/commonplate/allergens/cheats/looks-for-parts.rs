//! Wrong: takes coconut milk for milk.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        looks_for_parts: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
