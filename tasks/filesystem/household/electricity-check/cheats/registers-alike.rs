//! Reads register 1 of the new meter as day, like that of the old one.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../reckoning.rs"]
mod reckoning;

use reckoning::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        registers_alike: true,
        ..Default::default()
    };
    playing::check(tools, oversights)
}
