//! Reads the policies, writes the list and its summary.

use mcpmark_guest::Tools;

mod playing;
mod policies;

use policies::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::list(tools, Oversights::default())
}
