//! Wrong: sets back what a cook keeps by a comment on the issue.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        overlooks_the_wish: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
