//! Reads the head of each upload and sorts them.

use mcpmark_guest::Tools;

mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, playing::Oversights::default())
}
