//! Wrong: an index that the question of a station cannot use.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::FrontPageOnly), Manner::Plain)
}
