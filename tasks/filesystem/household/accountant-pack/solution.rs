//! Reads the list, the rules and the papers, writes the copies.

use mcpmark_guest::Tools;

mod playing;
mod redacting;

use redacting::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::pack(tools, Oversights::default())
}
