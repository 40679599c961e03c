//! Right as well: lists the jobs by their priority.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../../clerk.rs"]
mod clerk;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Manner, play};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play(tools, Manner::ByPriority)
}
