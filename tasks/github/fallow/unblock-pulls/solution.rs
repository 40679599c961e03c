//! Mends main, then takes the waiting pull requests one after the other.

mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &play::Manner::default())
}
