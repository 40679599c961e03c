//! Wrong: brings a branch up to date whose author wants it left alone.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        overlooks_requests: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
