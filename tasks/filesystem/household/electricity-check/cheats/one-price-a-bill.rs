//! Charges a whole period at the price of its last day.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../reckoning.rs"]
mod reckoning;

use reckoning::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        one_price_a_bill: true,
        ..Default::default()
    };
    playing::check(tools, oversights)
}
