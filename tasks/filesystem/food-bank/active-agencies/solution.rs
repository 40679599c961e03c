//! Follows every rule.

mod listing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    listing::play(
        tools,
        &listing::Rules {
            last_line_holds: true,
            heed_last_day: true,
        },
    )
}
