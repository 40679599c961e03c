//! Wrong: puts page 100 before page 20.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        orders_as_text: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
