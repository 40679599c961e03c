//! Takes what lay in the drop box as brought back when it was found.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        logs: library::Slips {
            box_as_written: true,
            ..Default::default()
        },
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
