//! Wrong: forgets that pages were moved with links written for their old place.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        present_folder_only: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
