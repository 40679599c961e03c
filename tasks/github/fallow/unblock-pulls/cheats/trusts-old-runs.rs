//! Wrong: labels by the runs of the old heads.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        trusts_old_runs: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
