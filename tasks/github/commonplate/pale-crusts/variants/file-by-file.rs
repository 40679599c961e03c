//! Right: one commit for each recipe.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        file_by_file: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
