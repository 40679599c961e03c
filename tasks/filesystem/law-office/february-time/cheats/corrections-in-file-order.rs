//! Wrong: lets the lowest correction hold instead of the latest.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(playing::Mistake::CorrectionsInFileOrder))
}
