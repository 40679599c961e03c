//! Right as well: finds the jobs in the list of all jobs of the house.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    handle(tools, Care::FULL, Manner::AllJobs)
}
