//! Wrong: looks at the numbers alone.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        reads_no_glossary: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
