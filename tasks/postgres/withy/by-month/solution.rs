//! Makes a new table in parts, moves the rows and all that refers to them, and drops the old table.

mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::Plain)
}
