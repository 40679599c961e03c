//! Wrong: names everybody who signed, also those who may not be named.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            signature_suffices: true,
            ..Default::default()
        },
    )
}
