//! Wrong: merges what somebody only commented on.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        takes_comments: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
