//! Takes the hidden track as one of the sleeve.

use mcpmark_guest::Tools;

#[path = "../../library.rs"]
mod library;
#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = plan::Slips {
        counts_the_hidden: true,
        ..Default::default()
    };
    let files = plan::files(tools, slips);
    library::play(tools, files)
}
