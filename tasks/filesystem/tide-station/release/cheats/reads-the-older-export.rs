//! Wrong: asks the export of April which issues are finished.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        reads_the_older_export: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
