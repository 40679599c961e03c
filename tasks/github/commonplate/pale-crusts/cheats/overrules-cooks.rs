//! Wrong: sets back what a cook has set since.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        overrules_cooks: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
