//! Wrong: reads the maintenance of 31 March as if it were still winter.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        overlooks_summer_time: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
