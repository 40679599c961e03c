//! Wrong: where an agency is listed twice, the upper line is taken.

#[path = "../listing.rs"]
mod listing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    listing::play(
        tools,
        &listing::Rules {
            last_line_holds: false,
            heed_last_day: true,
        },
    )
}
