//! Wrong: takes shows without a version for 2D, whatever the film.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::EmptyIsFlat), Manner::Plain)
}
