//! Follows every rule of the notes.

mod counting;
#[path = "../office.rs"]
mod office;

use counting::Rules;
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let month = counting::count(tools, Rules::ALL);
    tools.write(counting::PROGRESS, &month.progress());
    tools.write(counting::PEOPLE, &month.document());
    format!("{} matters have time in February.", month.matters.len())
}
