//! Right as well: reads the whole list instead of asking for items without a keeper, and names the property by its id.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::WholeList)
}
