//! Passes on the jobs that are not urgent, too.

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
    play(tools, Manner::PassesOnAll)
}
