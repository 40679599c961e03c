//! Wrong: charges minutes as they are instead of rounding each entry up to units.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(playing::Mistake::RoundsTheSum))
}
