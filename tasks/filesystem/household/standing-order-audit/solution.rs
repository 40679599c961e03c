//! Reads the register, its changes and twelve months of bookings, writes audit and register.

use mcpmark_guest::Tools;

mod audit;
mod playing;

use audit::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Oversights::default())
}
