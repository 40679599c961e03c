//! Wrong: takes a pull request that is still open for an answer.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_open: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
