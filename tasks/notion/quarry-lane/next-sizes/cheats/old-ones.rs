//! Wrong: takes an instrument that is back in the store for a lent one.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::OldOnes)
}
