//! Wrong: states all facts about the fix, and advises the reporter to stay on the release without it.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            advises_to_stay: true,
            ..play::Manner::default()
        },
    )
}
