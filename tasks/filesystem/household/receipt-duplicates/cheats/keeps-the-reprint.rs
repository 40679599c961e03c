//! Keeps the longest scan even where it is the reprint of the shop.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../sorting.rs"]
mod sorting;

use sorting::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        keeps_the_reprint: true,
        ..Default::default()
    };
    playing::sort(tools, oversights)
}
