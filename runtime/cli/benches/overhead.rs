//! What the host adds to a turn: the agent's time less that of the model and of tools.
//!
//! `cargo bench -p mcpmark --bench overhead` plays scripted attempts, alone and 64 at once, and
//! prints the overhead a turn and the size of the journal.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_model_server::{Reaction, Server};
use rusqlite::Connection;
use serde_json::json;

const TASK: &str = "filesystem/village-festival/stall-balances";
/// How long the scripted model takes.
const THINKS: Duration = Duration::from_millis(100);
/// Turns of an attempt.
const TURNS: usize = 20;

fn main() {
    let server = Server::start(|request| {
        let reaction = if request.turns + 1 < TURNS && request.tools != ["ping"] {
            Reaction::call("list_directory", &json!({"path": "."}))
        } else {
            Reaction::say("Done.")
        };
        Reaction::After(THINKS, Box::new(reaction))
    })
    .unwrap();
    for jobs in [1, 8, 64] {
        let home = tempfile::tempdir().unwrap();
        let url = server.base_url();
        let (jobs, began) = (jobs.to_string(), Instant::now());
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcpmark"))
            .args([
                "run",
                TASK,
                "--model",
                "openai/scripted",
                "--base-url",
                &url,
            ])
            .args(["-j", &jobs, "-k", &jobs, "--json"])
            .env("MCPMARK_HOME", home.path())
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.wait().unwrap();
        let wall = began.elapsed();
        let journal = Connection::open(home.path().join("journal.db")).unwrap();
        let (attempts, mean, most): (i64, f64, f64) = journal
            .query_row(
                "SELECT count(*), avg(1.0 * (agent_us - model_us - tool_us) / turns),
                        max(1.0 * (agent_us - model_us - tool_us) / turns)
                 FROM attempts WHERE agent_us IS NOT NULL",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        let bytes = std::fs::metadata(home.path().join("journal.db"))
            .unwrap()
            .len();
        println!(
            "{jobs:>2} at once: {attempts} attempts of {TURNS} turns in {:.1} s; overhead a turn \
             {:.2} ms, at most {:.2} ms; {} KiB of journal an attempt",
            wall.as_secs_f64(),
            mean / 1000.0,
            most / 1000.0,
            bytes as i64 / attempts.max(1) / 1024
        );
    }
}
