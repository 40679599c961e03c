//! Right as well: gives the machine to the right supplier on its own side, and moves the other one to the trash as a block.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::FromTheSupplier)
}
