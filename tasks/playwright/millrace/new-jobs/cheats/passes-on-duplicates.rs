//! Passes on the jobs that were reported before, too.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let care = Care {
        finds_duplicates: false,
        ..Care::FULL
    };
    handle(tools, care, Manner::Filters)
}
