//! Wrong: puts pages right that lag behind by a revision as well.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        corrects_what_lags: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
