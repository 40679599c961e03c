//! Keeps leases for 15 years as the table says and overlooks the amendment below it.

#[path = "../../office.rs"]
mod office;
#[path = "../playing.rs"]
mod playing;
#[path = "../reviewing.rs"]
mod reviewing;

use mcpmark_guest::Tools;
use reviewing::Rules;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        heed_amendment: false,
        ..Rules::ALL
    };
    playing::play(tools, rules)
}
