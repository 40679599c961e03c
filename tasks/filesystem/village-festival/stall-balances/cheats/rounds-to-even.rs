//! Rounds half a penny to the even penny, where the fees say up.

use mcpmark_guest::Tools;

#[path = "../reckoning.rs"]
mod reckoning;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = reckoning::Oversights {
        rounds_to_even: true,
        ..Default::default()
    };
    reckoning::reckon(tools, &oversights)
}
