//! Wrong: tells the reporter that the label for a backport is the backport.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        trusts_labels: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
