//! Wrong: takes an issue without a code for a duplicate, because its title reads the same.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        compares_words: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
