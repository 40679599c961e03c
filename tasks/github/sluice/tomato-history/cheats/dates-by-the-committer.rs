//! Wrong: takes the day of the committer for that of the author.

#[path = "../history.rs"]
mod history;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &history::Slips {
            dates_by_committer: true,
            ..Default::default()
        },
    )
}
