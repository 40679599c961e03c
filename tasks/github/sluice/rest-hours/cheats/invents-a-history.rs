//! Wrong: says that the setting worked once, although no release has used it.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            invents_a_history: true,
            ..play::Manner::default()
        },
    )
}
