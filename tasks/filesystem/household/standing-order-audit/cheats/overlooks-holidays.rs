//! Moves due dates past weekends, but not past bank holidays.

use mcpmark_guest::Tools;

#[path = "../audit.rs"]
mod audit;
#[path = "../playing.rs"]
mod playing;

use audit::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        overlooks_holidays: true,
        ..Default::default()
    };
    playing::play(tools, oversights)
}
