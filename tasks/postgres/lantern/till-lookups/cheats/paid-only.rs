//! Wrong: leaves out bookings that were refunded, which the tills look up too.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::PaidOnly), Manner::Plain)
}
