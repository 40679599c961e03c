//! Right as well: reads the table of visits before everything else.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::TableFirst)
}
