//! Right as well: asks for the repairs of the month alone, and writes the letter paragraph by paragraph.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::LineByLine)
}
