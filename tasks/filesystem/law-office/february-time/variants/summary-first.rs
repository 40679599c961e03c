//! Right in another order: writes the summary before the work in progress.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

use playing::counting::{self, PEOPLE, PROGRESS};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let month = counting::count(tools, None);
    tools.write(PEOPLE, &month.document());
    tools.write(PROGRESS, &playing::progress(&month));
    "The summary and the work in progress are there.".to_owned()
}
