//! Overhead of the host per turn: the time of the agent minus the times of the model and of tools.
//!
//! `cargo bench --workspace --bench overhead` plays scripted attempts, alone and 64 at once, and
//! prints the overhead a turn, the processor time, and the size of the journal. Beside a figure that is
//! held to a bound stands whether it is met; where one is missed the exit code is 1.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use mcpmark_model_server::{Reaction, Server};
use rusqlite::Connection;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde_json::json;

const TASK: &str = "filesystem/village-festival/stall-balances";
/// How long the scripted model takes.
const THINKS: Duration = Duration::from_millis(100);
/// Turns of an attempt.
const TURNS: usize = 20;
/// The most that a turn may take beside model and tools, in milliseconds.
const OVERHEAD: f64 = 2.0;
/// The share of the processor that may be busy, in per cent.
const BUSY: f64 = 75.0;

fn main() -> ExitCode {
    let server = Server::start(|request| {
        let reaction = if request.turns + 1 < TURNS && request.tools != ["ping"] {
            Reaction::call("list_directory", &json!({"path": "."}))
        } else {
            Reaction::say("Done.")
        };
        Reaction::After(THINKS, Box::new(reaction))
    })
    .unwrap();
    // Compilation in the first run of a build is no overhead of turns.
    play(&server, 1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut is_met = true;
    for jobs in [1, 8, 64] {
        let (figures, kept) = play(&server, jobs).figures(cores);
        println!("{jobs:>2} at once: {figures}");
        is_met &= kept;
    }
    if is_met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether a figure keeps a bound, in words.
fn held(figure: f64, bound: f64) -> &'static str {
    if figure <= bound { "met" } else { "missed" }
}

/// A run that is over.
struct Played {
    home: tempfile::TempDir,
    wall: Duration,
    /// Of the processor, where the system says so.
    busy: Option<Duration>,
}

fn play(server: &Server, jobs: usize) -> Played {
    let home = tempfile::tempdir().unwrap();
    let url = server.base_url();
    let (jobs, began) = (jobs.to_string(), Instant::now());
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcpmark"))
        .args(["run", TASK, "--model", "openai/scripted", "--base-url"])
        .args([&url, "-j", &jobs, "-k", &jobs, "--json"])
        .env("MCPMARK_HOME", home.path())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    // Its times can be read for as long as nobody has asked how it ended.
    let over = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), over).unwrap();
    let (wall, busy) = (began.elapsed(), busy(pid));
    child.wait().unwrap();
    Played { home, wall, busy }
}

/// User and system time of a process, which Linux counts in hundredths of a second.
fn busy(pid: Pid) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    let hundredths: u64 = times.map_while(|time| time.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(hundredths * 10))
}

impl Played {
    /// Measurements, and whether their bounds are met.
    fn figures(&self, cores: usize) -> (String, bool) {
        let file = self.home.path().join("journal.db");
        let journal = Connection::open(&file).unwrap();
        let (attempts, mean, most): (u32, f64, f64) = journal
            .query_row(
                "SELECT count(*), avg(1.0 * (agent_us - model_us - tool_us) / turns),
                        max(1.0 * (agent_us - model_us - tool_us) / turns)
                 FROM attempts WHERE agent_us IS NOT NULL",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        let bytes = std::fs::metadata(&file).unwrap().len();
        let overhead = mean / 1000.0;
        let busy = self
            .busy
            .map(|busy| 100.0 * busy.as_secs_f64() / self.wall.as_secs_f64() / cores as f64);
        let processor = busy.map_or(String::new(), |busy| {
            let kept = held(busy, BUSY);
            format!(", {busy:.0} % of {cores} cores (≤ {BUSY:.0} %: {kept})")
        });
        let figures = format!(
            "{attempts} attempts of {TURNS} turns in {:.1} s{processor}; overhead a turn {overhead:.2} ms \
             (≤ {OVERHEAD:.0} ms: {}), of the slowest attempt {:.2} ms; {} KiB of journal an attempt",
            self.wall.as_secs_f64(),
            held(overhead, OVERHEAD),
            most / 1000.0,
            bytes / u64::from(attempts.max(1)) / 1024
        );
        (
            figures,
            overhead <= OVERHEAD && busy.is_none_or(|busy| busy <= BUSY),
        )
    }
}
