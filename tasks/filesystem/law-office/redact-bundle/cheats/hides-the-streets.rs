//! Replaces names also where a street or a sandbank is called like a person.

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
        keep_phrases: false,
        ..Choices::ALL
    };
    let bundle = redacting::redact(tools, choices);
    for (path, content) in &bundle.copies {
        tools.write(path, content);
    }
    tools.write(LOG, &bundle.log_text());
    format!("{} redacted copies are ready.", bundle.copies.len())
}
