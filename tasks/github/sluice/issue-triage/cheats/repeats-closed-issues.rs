//! Wrong: takes issues that are closed for such that can be repeated.

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
            repeats_closed: true,
            ..Default::default()
        },
    )
}
