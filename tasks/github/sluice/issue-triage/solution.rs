//! Reads the rules and the issues, labels, closes duplicates and answers the one that is mended.

mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &play::Manner::default())
}
