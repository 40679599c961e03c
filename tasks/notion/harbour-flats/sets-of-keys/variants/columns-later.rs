//! Right as well: makes the table with its title alone, and adds the columns and the values afterwards.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::ColumnsLater)
}
