//! Wrong: takes the price of the registration that holds, where the first one decides.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            price_by_last: true,
            ..Default::default()
        },
    )
}
