//! Reads the rules, the tracker and the fragments, makes the release.

mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, &playing::rules::Oversights::default())
}
