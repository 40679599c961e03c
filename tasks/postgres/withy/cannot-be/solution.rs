//! Adds a trigger whose function has the rights of its owner.

mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::Plain)
}
