//! Merges the accounts, then moves what belongs to them, then writes the note.

mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::Plain)
}
