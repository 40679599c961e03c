//! Wrong: does not read that a notice was taken back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;
use play::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, Manner::KeepsWithdrawn)
}
