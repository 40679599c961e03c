//! Wrong: takes the program of the calls out of the account of a colleague, and gives it nothing.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::StopsTheCalls), Manner::Plain)
}
