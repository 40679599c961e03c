//! Wrong: names the youngest issue with the same code.

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
            names_youngest: true,
            ..Default::default()
        },
    )
}
