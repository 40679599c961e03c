//! Right in another order: writes the summary before the work in progress.

use mcpmark_guest::Tools;

#[path = "../counting.rs"]
mod counting;
#[path = "../../office.rs"]
mod office;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let month = counting::count(tools, None);
    tools.write(counting::PEOPLE, &month.document());
    tools.write(counting::PROGRESS, &month.progress());
    "The summary and the work in progress are there.".to_owned()
}
