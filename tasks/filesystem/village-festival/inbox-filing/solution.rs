//! Reads every paper, files it by the rules, adds the lines to the log.

use mcpmark_guest::Tools;

mod filing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    filing::file(tools, &filing::Oversights::default())
}
