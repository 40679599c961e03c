//! Reads all files with one call, and writes the table as a spreadsheet program saves it: a byte order mark, quotes
//! around each cell, CRLF, and a comma between matters.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::QuotedCells)
}
