//! Takes `scan0012 (1).txt` for the copy because it looks like one; the rules go by the bytes of the names.

use mcpmark_guest::Tools;

#[path = "../filing.rs"]
mod filing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    filing::file(
        tools,
        &filing::Oversights {
            keeps_the_plain_name: true,
            ..Default::default()
        },
    )
}
