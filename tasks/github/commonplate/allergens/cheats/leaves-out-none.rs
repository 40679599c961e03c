//! Wrong: writes nothing where a recipe has none.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        leaves_out_none: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
