//! Merges contracts from the same day, splits those that a temporary one interrupts, ends the others, and adds a constraint.

mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::Plain)
}
