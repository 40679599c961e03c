//! Wrong: takes white space for a translation.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        blanks_are_text: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
