//! Right as well: rewrites what a newer note contradicts, and adds one block after the other.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::RewritesOlder)
}
