//! Wrong: begins with the pull request that has waited for the shortest time.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        newest_first: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
