//! Adds up all sheets of a shelf.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        every_sheet_holds: true,
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
