//! Goes by the first line of each document in the list, so that a withheld document gets out.

#[path = "../../office.rs"]
mod office;
#[path = "../redacting.rs"]
mod redacting;
#[path = "../rules.rs"]
mod rules;

use mcpmark_guest::Tools;
use redacting::{Choices, LOG};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let choices = Choices {
        lowest_line_holds: false,
        ..Choices::ALL
    };
    let bundle = redacting::redact(tools, choices);
    for (path, content) in &bundle.copies {
        tools.write(path, content);
    }
    tools.write(LOG, &bundle.log_text());
    format!("{} redacted copies are ready.", bundle.copies.len())
}
