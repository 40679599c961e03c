//! Wrong: closes the question with the answer.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            closes_the_question: true,
            ..play::Manner::default()
        },
    )
}
