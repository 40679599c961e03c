//! Reads the log, looks at what may have changed the value, writes the history.

mod history;
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &history::Slips::default())
}
