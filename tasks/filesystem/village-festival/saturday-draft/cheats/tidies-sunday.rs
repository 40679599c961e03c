//! Wrong: takes Brónach Quill out of Sunday's table.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            tidies_sunday: true,
            ..Default::default()
        },
    )
}
