//! Gives a title to who has it on loan.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        loses_sight_of_loans: true,
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
