//! A branch by the day of the hire, also for hires that are entered later, tried in a block that is rolled back.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::ByDate)
}
