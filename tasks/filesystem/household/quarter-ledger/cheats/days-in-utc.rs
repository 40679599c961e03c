//! Takes the days of the card as UTC has them.

use mcpmark_guest::Tools;

#[path = "../ledger.rs"]
mod ledger;
#[path = "../playing.rs"]
mod playing;

use ledger::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        days_in_utc: true,
        ..Default::default()
    };
    playing::merge(tools, oversights)
}
