//! Reads the letters first, and writes the note before the running order.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            manner: planning::Manner::NoteFirst,
            ..Default::default()
        },
    )
}
