//! Follows every rule of the policy.

mod checking;
#[path = "../office.rs"]
mod office;

use checking::Rules;
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rows = checking::check(tools, Rules::ALL);
    tools.write(checking::REPORT, &checking::report(&rows));
    format!("Checked {} names.", rows.len())
}
