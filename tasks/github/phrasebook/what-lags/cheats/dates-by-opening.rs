//! Wrong: takes the days on which the pull requests were opened.

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
