//! Solution that follows every rule.

use mcpmark_guest::Tools;

mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, None)
}
