//! Wrong: takes the end of music outdoors from the list of stages.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            overlooks_the_licence: true,
            ..Default::default()
        },
    )
}
