//! Clears the calendar of the locksmiths that are closed, as the handbook says.

#[path = "../../browser.rs"]
mod browser;
#[path = "../clerk.rs"]
mod clerk;
mod play;

use mcpmark_guest::Tools;

use crate::play::{Manner, play};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play(tools, Manner::Right)
}
