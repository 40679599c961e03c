//! Replaces every tax number, also the two that stay.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../redacting.rs"]
mod redacting;

use redacting::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        hides_our_own: true,
        ..Default::default()
    };
    playing::pack(tools, oversights)
}
