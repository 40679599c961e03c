//! The program of the calls gets a right and a policy of its own, and leaves the account of a colleague.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::Manner;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None, Manner::HooksByItself)
}
