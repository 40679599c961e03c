//! Follows every rule of the notes.

#[path = "../office.rs"]
mod office;
mod playing;
mod reviewing;

use mcpmark_guest::Tools;
use reviewing::Rules;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Rules::ALL)
}
