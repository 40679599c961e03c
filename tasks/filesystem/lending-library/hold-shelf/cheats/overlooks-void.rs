//! Takes each line of the logs at its word.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        logs: library::Slips {
            overlooks_void: true,
            ..Default::default()
        },
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
