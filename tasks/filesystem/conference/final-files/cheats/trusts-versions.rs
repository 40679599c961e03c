//! Wrong: takes the upload with the highest version, where the time decides.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            trusts_versions: true,
            ..Default::default()
        },
    )
}
