//! Right as well: writes each comment before it passes the job on.

#[path = "../../../browser.rs"]
mod browser;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

use crate::play::{Care, Manner, handle};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    handle(tools, Care::FULL, Manner::CommentsFirst)
}
