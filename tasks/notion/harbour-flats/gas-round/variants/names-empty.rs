//! Right as well: also names the flat that is left out because it is empty.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::NamesEmpty)
}
