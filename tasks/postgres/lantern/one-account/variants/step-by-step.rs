//! Reads the whole handbook and all notes, and marks the merged accounts in four steps.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::StepByStep)
}
