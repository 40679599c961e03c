//! Does not look at the households, so it takes the heating of a young family for less than urgent.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let care = Care {
        reads_households: false,
        ..Care::FULL
    };
    handle(tools, care, Manner::Filters)
}
