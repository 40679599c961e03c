//! Passes a job on to a firm that is closed.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let care = Care {
        reads_notes: false,
        ..Care::FULL
    };
    handle(tools, care, Manner::Filters)
}
