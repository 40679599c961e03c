//! Wrong: counts what an old issue says of a method that was put off since.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_the_put_off: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
