//! Wrong: says that its own pull request did the damage.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        exchanges_the_pulls: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
