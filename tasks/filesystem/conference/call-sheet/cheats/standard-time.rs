//! Wrong: takes the offset of standard time, which is not that of February in the south.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            standard_time: true,
            ..Default::default()
        },
    )
}
