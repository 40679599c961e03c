//! Right: also says what decides about a run in place of the setting.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            says_what_counts: true,
            ..play::Manner::default()
        },
    )
}
