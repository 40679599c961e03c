//! Wrong: looks only at commits whose subject names the crop.

#[path = "../history.rs"]
mod history;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &history::Slips {
            believes_subjects: true,
            ..Default::default()
        },
    )
}
