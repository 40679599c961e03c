//! Right as well: reads the later meeting first, and fills in the items from the last to the first.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::JanuaryFirst)
}
