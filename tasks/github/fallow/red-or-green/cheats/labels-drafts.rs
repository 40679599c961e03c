//! Wrong: looks at drafts as well.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        labels_drafts: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
