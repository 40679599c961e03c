//! Wrong: does not say where one can check the answer.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            names_no_file: true,
            ..play::Manner::default()
        },
    )
}
