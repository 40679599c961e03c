//! Wrong: reads the times of mails as if all of them were sent in UTC.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            deadline_at_home: true,
            ..Default::default()
        },
    )
}
