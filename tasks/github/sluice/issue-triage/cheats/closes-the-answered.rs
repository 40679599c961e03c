//! Wrong: closes the issue whose reporter still runs a release without the fix.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        closes_answered: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
