//! Wrong: knows only the conflicts that somebody declared.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(playing::Mistake::OverlooksHouses))
}
