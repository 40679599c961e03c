//! Wrong: closes the issue before the merge does.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        closes_by_hand: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
