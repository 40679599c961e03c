//! Writes the fictitious journal of the tests to a directory, to inspect reports of it:
//!
//! ```text
//! cargo run --release -p mcpmark-report --example demonstration -- /tmp/demonstration
//! mcpmark --home /tmp/demonstration report demonstration --format html -o report.html
//! ```
//!
//! With a number after the directory, it writes an experiment `large` with that number of attempts instead.
#![allow(clippy::print_stderr, reason = "an example says how it is used")]

#[path = "../../../tests/journal/mod.rs"]
mod journal;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (&*arguments, arguments.get(1).map(|number| number.parse())) {
        ([home], _) => journal::demonstration(Path::new(home)),
        ([home, _], Some(Ok(attempts))) => {
            let made = std::fs::create_dir_all(home);
            if let Err(error) = made {
                eprintln!("{home}: {error}");
                return ExitCode::FAILURE;
            }
            journal::large(&Path::new(home).join("journal.db"), attempts);
        }
        _ => {
            eprintln!("name a new directory, and the number of attempts of a large experiment");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
