//! Wrong: says what was wrong with the clock, and not with the level.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::ClockAlone), Manner::Plain)
}
