//! Writes the made-up journal of the tests into a directory, to look at what is made of it:
//!
//! ```text
//! cargo run --release -p mcpmark-report --example demonstration -- /tmp/demonstration
//! mcpmark --home /tmp/demonstration report demonstration --format html -o report.html
//! ```
#![allow(clippy::print_stderr, reason = "an example says how it is used")]

#[path = "../../../tests/journal/mod.rs"]
mod journal;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(home) => {
            journal::demonstration(Path::new(&home));
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("name a new directory");
            ExitCode::FAILURE
        }
    }
}
