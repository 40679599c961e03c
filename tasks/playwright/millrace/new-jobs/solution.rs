//! Handles the new jobs of Tanner's Row as the handbook says.

#[path = "../../browser.rs"]
mod browser;
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    handle(tools, Care::FULL, Manner::Filters)
}
