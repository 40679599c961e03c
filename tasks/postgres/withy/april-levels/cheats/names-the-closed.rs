//! Wrong: adds a row for the station that was given up.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::NamesTheClosed), Manner::Plain)
}
