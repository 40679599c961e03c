//! Wrong: mends paths and leaves the anchors behind them.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        keeps_old_anchors: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
