//! Wrong: numbers people by the list of people and not by their first mention.

#[path = "../playing.rs"]
mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = playing::rules::Oversights {
        numbers_by_the_list: true,
        ..Default::default()
    };
    playing::play(tools, &oversights)
}
