//! Charges minutes as they are where each entry is to be rounded up to units.

#[path = "../counting.rs"]
mod counting;
#[path = "../../office.rs"]
mod office;

use counting::Rules;
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        round_each_entry: false,
        ..Rules::ALL
    };
    let month = counting::count(tools, rules);
    tools.write(counting::PROGRESS, &month.progress());
    tools.write(counting::PEOPLE, &month.document());
    format!("{} matters have time in February.", month.matters.len())
}
