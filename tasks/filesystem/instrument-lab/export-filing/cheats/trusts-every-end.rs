//! Wrong: takes each export with a last line for complete.

#[path = "../../lab.rs"]
mod lab;
#[path = "../play.rs"]
mod play;
#[path = "../rules.rs"]
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &rules::Slips {
            counts_no_rows: true,
            ..Default::default()
        },
    )
}
