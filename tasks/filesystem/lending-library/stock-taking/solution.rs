//! Holds the count against catalogue, logs and queue.

use mcpmark_guest::Tools;

#[path = "../library.rs"]
mod library;
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let files = plan::files(tools, plan::Slips::default());
    library::play(tools, files)
}
