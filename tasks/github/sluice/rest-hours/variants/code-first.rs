//! Right: reads the code before it looks for the question.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            code_first: true,
            ..play::Manner::default()
        },
    )
}
