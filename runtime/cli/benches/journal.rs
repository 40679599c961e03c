//! The size of the journal.
//!
//! `cargo bench --workspace --bench journal` plays the solutions of all shipped tasks several times and prints the
//! size of `journal.db` and of its tables, for each attempt. The exit code is 1 where an attempt takes more than the
//! bound. `-- ATTEMPTS` plays each task that often; the default is 20.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use rusqlite::Connection;

/// The most bytes of an attempt: 900 attempts in 60 MB.
const BOUND: u64 = 60_000_000 / 900;

fn main() -> ExitCode {
    let repetitions = std::env::args().find_map(|argument| argument.parse::<u32>().ok());
    let repetitions = repetitions.unwrap_or(20);
    let home = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_mcpmark"))
        .args(["run", "--agent", "oracle", "--json", "-j", "2", "-k"])
        .arg(repetitions.to_string())
        .env("MCPMARK_HOME", home.path())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the run ended with {status}");
    let file = home.path().join("journal.db");
    let bytes = std::fs::metadata(&file).unwrap().len();
    let journal = Connection::open(&file).unwrap();
    let attempts: i64 = journal
        .query_row("SELECT count(*) FROM attempts", [], |row| row.get(0))
        .unwrap();
    let attempts = attempts.cast_unsigned();
    let each = bytes / attempts;
    let kept = if each <= BOUND { "met" } else { "missed" };
    println!(
        "{attempts} attempts in {:.0} s: {bytes} bytes, {each} an attempt (≤ {BOUND}: {kept})",
        began.elapsed().as_secs_f64()
    );
    let mut query = journal
        .prepare(
            "SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 8",
        )
        .unwrap();
    let mut rows = query.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let name: String = row.get(0).unwrap();
        let [pages, unused] =
            [1, 2].map(|column| row.get::<_, i64>(column).unwrap().cast_unsigned());
        println!(
            "  {name:<36} {:>8} an attempt, {:>2} % of it unused",
            pages / attempts,
            100 * unused / pages
        );
    }
    if each <= BOUND {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
