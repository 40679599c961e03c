//! Wrong: empties the seats of refunded tickets, so that the index can have all tickets.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;
use playing::{Manner, Mistake};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, Some(Mistake::ForAllTickets), Manner::Plain)
}
