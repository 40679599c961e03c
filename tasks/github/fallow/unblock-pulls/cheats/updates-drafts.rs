//! Wrong: brings drafts up to date as well.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        updates_drafts: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
