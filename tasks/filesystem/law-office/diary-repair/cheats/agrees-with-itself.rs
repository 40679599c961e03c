//! Takes a proposal and an answer of the same side for an agreement.

#[path = "../calendar.rs"]
mod calendar;
#[path = "../cases.rs"]
mod cases;
#[path = "../deadlines.rs"]
mod deadlines;
#[path = "../diary.rs"]
mod diary;
#[path = "../../office.rs"]
mod office;

use deadlines::Rules;
use diary::{DEADLINES, DIARY};
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        both_sides: false,
        ..Rules::ALL
    };
    let cases = deadlines::reckon(tools, rules);
    let result = diary::repair(tools, &cases);
    tools.write(DEADLINES, &result.json());
    tools.write(DIARY, &result.csv());
    format!("The diary has {} lines now.", result.rows.len())
}
