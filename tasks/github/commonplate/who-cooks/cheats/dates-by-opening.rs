//! Wrong: dates a recipe by the day on which its pull request was opened.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        dates_by_opening: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
