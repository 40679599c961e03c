//! Wrong: answers by what the handbook says of the setting.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            believes_the_handbook: true,
            ..play::Manner::default()
        },
    )
}
