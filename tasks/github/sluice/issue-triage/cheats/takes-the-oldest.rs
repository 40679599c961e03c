//! Wrong: takes the oldest issue with a code, although a thread has decided otherwise.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        ignores_threads: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
