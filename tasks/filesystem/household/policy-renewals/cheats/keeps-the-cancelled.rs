//! Takes a cancelled policy for one that renews.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../policies.rs"]
mod policies;

use policies::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        keeps_the_cancelled: true,
        ..Default::default()
    };
    playing::list(tools, oversights)
}
