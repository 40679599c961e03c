//! Follows every rule of the guide.

#[path = "../office.rs"]
mod office;
mod redacting;
mod rules;

use mcpmark_guest::Tools;
use redacting::{Choices, LOG};

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let bundle = redacting::redact(tools, Choices::ALL);
    for (path, content) in &bundle.copies {
        tools.write(path, content);
    }
    tools.write(LOG, &bundle.log_text());
    format!("{} redacted copies are ready.", bundle.copies.len())
}
