//! Finds the fixes, takes each to the branch, writes the release, opens the pull request.

mod patch;
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &play::Slips::default())
}
