//! Right: labels the pull request that mends main like the earlier ones.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        labels_the_mend: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
