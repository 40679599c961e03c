//! Gives papers without a date the day of filing, where the rules ask for the day of their last change.

use mcpmark_guest::Tools;

#[path = "../filing.rs"]
mod filing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    filing::file(
        tools,
        &filing::Oversights {
            dates_by_today: true,
            ..Default::default()
        },
    )
}
