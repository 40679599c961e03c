//! Wrong: undoes the order of the tags as well.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        undoes_all: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
