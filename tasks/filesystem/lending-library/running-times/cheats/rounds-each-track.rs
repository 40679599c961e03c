//! Rounds each track before it sums.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        rounds_each_track: true,
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
