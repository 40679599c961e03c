//! Plays the task as it should be done.

mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &play::Manner::default())
}
