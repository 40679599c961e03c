//! Compares with the names of clients and overlooks trading and former names.

#[path = "../checking.rs"]
mod checking;
#[path = "../../office.rs"]
mod office;

use checking::Rules;
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        compare_other_names: false,
        ..Rules::ALL
    };
    let rows = checking::check(tools, rules);
    tools.write(checking::REPORT, &checking::report(&rows));
    format!("Checked {} names.", rows.len())
}
