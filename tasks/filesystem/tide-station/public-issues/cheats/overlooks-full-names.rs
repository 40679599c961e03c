//! Wrong: replaces logins and leaves full names.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        overlooks_full_names: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
