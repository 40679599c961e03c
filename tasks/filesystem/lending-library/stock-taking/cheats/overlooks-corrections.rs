//! Goes by the logs without the corrections and the hold shelf.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        overlooks_the_hold_shelf: true,
        logs: library::Slips {
            overlooks_corrections: true,
            ..Default::default()
        },
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
