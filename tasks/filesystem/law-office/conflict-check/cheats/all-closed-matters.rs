//! Refers whatever was ever closed to a partner, also what was closed more than six years ago.

#[path = "../checking.rs"]
mod checking;
#[path = "../../office.rs"]
mod office;

use checking::Rules;
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        heed_six_years: false,
        ..Rules::ALL
    };
    let rows = checking::check(tools, rules);
    tools.write(checking::REPORT, &checking::report(&rows));
    format!("Checked {} names.", rows.len())
}
