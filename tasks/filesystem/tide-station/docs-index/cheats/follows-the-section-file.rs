//! Wrong: takes the sections as they stand in their file.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        follows_the_section_file: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
