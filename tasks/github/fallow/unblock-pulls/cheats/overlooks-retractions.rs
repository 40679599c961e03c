//! Wrong: leaves a branch alone whose author has taken the request back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        overlooks_retractions: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
