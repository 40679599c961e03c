//! Takes receipts of one shop, day and total for one receipt.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../sorting.rs"]
mod sorting;

use sorting::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        same_total_same_receipt: true,
        ..Default::default()
    };
    playing::sort(tools, oversights)
}
