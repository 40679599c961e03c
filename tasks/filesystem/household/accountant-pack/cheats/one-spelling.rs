//! Replaces the names of the children only as they are spelt at home.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../redacting.rs"]
mod redacting;

use redacting::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        one_spelling: true,
        ..Default::default()
    };
    playing::pack(tools, oversights)
}
