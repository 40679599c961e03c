//! Counts all days also where a period is so short that only business days count.

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
        short_periods: false,
        ..Rules::ALL
    };
    let cases = deadlines::reckon(tools, rules);
    let result = diary::repair(tools, &cases);
    tools.write(DEADLINES, &result.json());
    tools.write(DIARY, &result.csv());
    format!("The diary has {} lines now.", result.rows.len())
}
