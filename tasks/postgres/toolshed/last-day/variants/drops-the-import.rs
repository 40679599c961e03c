//! The policy that carries his name goes too, as his note promises.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::DropsTheImport)
}
