//! Wrong: gives the Hrubecs the length that Ingrid agreed to before the meeting decided.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            keeps_the_mail: true,
            ..Default::default()
        },
    )
}
