//! Wrong: tells the grower to remove the line, without which a file is refused.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            tells_to_remove_it: true,
            ..play::Manner::default()
        },
    )
}
