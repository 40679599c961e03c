//! Wrong: drops the index on the import.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::DropsTheOld), Manner::Plain)
}
