//! Wrong: overlooks that the one who has the house is away.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::RunaGoes)
}
