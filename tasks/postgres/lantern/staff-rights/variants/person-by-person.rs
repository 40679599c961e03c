//! Reads parts of the tables, and changes one person after the other.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::PersonByPerson)
}
