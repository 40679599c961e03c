//! Reads rules, lists, reviews and minutes and writes what follows.

use mcpmark_guest::Tools;

mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, playing::Oversights::default())
}
