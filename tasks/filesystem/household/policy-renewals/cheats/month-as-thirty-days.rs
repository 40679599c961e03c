//! Counts a notice of one month as thirty days.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../policies.rs"]
mod policies;

use policies::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        month_as_thirty_days: true,
        ..Default::default()
    };
    playing::list(tools, oversights)
}
