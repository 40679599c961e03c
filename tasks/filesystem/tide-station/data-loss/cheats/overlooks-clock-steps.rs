//! Wrong: takes times as they are written, though the clock was wrong.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        overlooks_clock_steps: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
