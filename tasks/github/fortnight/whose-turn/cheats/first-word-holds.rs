//! Wrong: takes the first review of each that counts, not the last.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        first_word_holds: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
