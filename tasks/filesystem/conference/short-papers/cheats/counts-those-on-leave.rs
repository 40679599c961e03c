//! Wrong: counts the review of a member who is on leave.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(playing::Mistake::OverlooksLeave))
}
