//! A list of the codes in place of a reference, a check in place of `NOT NULL`, and the two columns for the web shop.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::ByChecks)
}
