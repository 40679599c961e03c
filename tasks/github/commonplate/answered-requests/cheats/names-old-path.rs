//! Wrong: names the path that the file had when it was added.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_old_path: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
