//! Duration of listings and reports of many attempts, and size of the journal.
//!
//! `cargo bench --workspace --bench large` creates journals of 25,000 and 100,000 attempts and prints a line for each
//! command and size. The second size should take about four times as long. It has a time limit; if a command exceeds
//! it, the exit code is 1.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../../../tests/journal/mod.rs"]
mod journal;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mcpmark_journal::Journal;
use mcpmark_report::{Details, Format, Options, Report, TaskIndex};

/// Number of attempts to which the limit applies.
const MANY: usize = 100_000;

/// Maximum duration of a command on that number of attempts.
const BOUND: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let mut is_met = true;
    for attempts in [25_000, MANY] {
        let mut time = |what: &str, run: &dyn Fn()| {
            let shortest = shortest(run);
            let kept = match attempts {
                MANY if shortest > BOUND => "  ≤ 1 s: missed",
                MANY => "  ≤ 1 s: met",
                _ => "",
            };
            is_met &= attempts != MANY || shortest <= BOUND;
            println!("  {what:<14} {:>7.3} s{kept}", shortest.as_secs_f64());
        };
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("journal.db");
        journal::large(&file, attempts);
        let size = fs::metadata(&file).unwrap().len();
        println!("{attempts} attempts: {} bytes each", size / attempts as u64);
        let open = || Journal::open(&file).unwrap();
        let id = open().survey("large").unwrap().rows[attempts / 2]
            .id
            .clone();
        time("runs", &|| {
            assert_eq!(open().experiments(20).unwrap().len(), 1);
        });
        time("runs NAME", &|| {
            assert_eq!(open().survey("large").unwrap().rows.len(), attempts);
        });
        time("runs --json", &|| {
            assert_eq!(open().attempts("large").unwrap().len(), attempts);
        });
        time("show ID", &|| {
            let journal = open();
            let attempt = journal.attempt(&id[..10]).unwrap();
            assert!(!journal.trajectory(&attempt.id).unwrap().messages.is_empty());
        });
        for format in [Format::Text, Format::Json, Format::Csv] {
            time(&format!("report, {format:?}"), &|| {
                let report = Report::read(&open(), "large", &TaskIndex::new()).unwrap();
                assert_eq!(report.planned, attempts);
                assert!(
                    !report
                        .render(format, &Options::default())
                        .unwrap()
                        .is_empty()
                );
            });
        }
        time("report, Html", &|| {
            let journal = open();
            let report = Report::read(&journal, "large", &TaskIndex::new()).unwrap();
            let details = Details::read(&report, &journal, None).unwrap();
            assert!(details.left_out > 0);
            let options = Options {
                details,
                ..Options::default()
            };
            assert!(!report.render(Format::Html, &options).unwrap().is_empty());
        });
    }
    if is_met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the shortest duration of three runs.
fn shortest(run: &dyn Fn()) -> Duration {
    let once = || {
        let begun = Instant::now();
        run();
        begun.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or(Duration::ZERO)
}
