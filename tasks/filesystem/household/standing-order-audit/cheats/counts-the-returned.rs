//! Counts payments that came back.

use mcpmark_guest::Tools;

#[path = "../audit.rs"]
mod audit;
#[path = "../playing.rs"]
mod playing;

use audit::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        counts_the_returned: true,
        ..Default::default()
    };
    playing::play(tools, oversights)
}
