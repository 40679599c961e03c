//! How long it takes to pack the shipped tasks, and to grade 10,000 kept attempts again.
//!
//! `cargo bench --workspace --bench bundles` packs all shipped tasks, makes 10,000 attempts of two tasks with
//! the random agent, and grades them again. Beside a figure that is held to a bound stands whether it is met;
//! where one is missed the exit code is 1. The bounds are for two cores with nothing else to do.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The longest that packing may take once guests are built, and the tasks that must be among them.
const PACK: Duration = Duration::from_secs(5);
const TASKS: u64 = 40;
/// The most bytes of a suite beyond its worlds.
const BYTES: u64 = 20_000_000;

/// The longest that grading again may take.
const REGRADE: Duration = Duration::from_secs(10);
/// Attempts of each of the tasks.
const ATTEMPTS: u64 = 5_000;
/// Verifiers in Rust of different kinds: one reads a table, the other compares trees.
const GRADED: [&str; 2] = [
    "filesystem/village-festival/stall-balances",
    "filesystem/food-bank/volunteer-hours",
];

fn main() -> ExitCode {
    let home = tempfile::tempdir().unwrap();
    let is_packed = pack(home.path());
    let is_regraded = regrade(home.path());
    if is_packed && is_regraded {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs the binary; its report and how long it took.
fn run(home: &Path, args: &[&str], codes: &[i32]) -> (Value, Duration) {
    let begun = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_mcpmark"))
        .args(args)
        .arg("--json")
        .env("MCPMARK_HOME", home.join("home"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let took = begun.elapsed();
    let told = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    assert!(
        code.is_some_and(|it| codes.contains(&it)),
        "{args:?}: {told}"
    );
    (serde_json::from_slice(&output.stdout).unwrap(), took)
}

fn held(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

fn pack(home: &Path) -> bool {
    let once = |name: &str| {
        let file = home.join(name);
        run(
            home,
            &["bundle", "pack", "-o", file.to_str().unwrap()],
            &[0],
        )
    };
    // The first builds what is not built, and makes the worlds.
    once("first.tar");
    let (report, took) = once("second.tar");
    let number = |key: &str| report[key].as_u64().unwrap();
    let (tasks, worlds) = (number("tasks"), number("worlds"));
    assert!(tasks >= TASKS, "{report}");
    let beyond = number("bytes") - number("world_bytes");
    let (in_time, is_small) = (took <= PACK, beyond <= BYTES);
    println!(
        "packed {tasks} tasks and {worlds} worlds: {:.2} s  ≤ 5 s: {}",
        took.as_secs_f64(),
        held(in_time)
    );
    println!(
        "  {:.1} MB beyond the worlds, which take {:.1} MB  ≤ 20 MB: {}",
        beyond as f64 / 1e6,
        number("world_bytes") as f64 / 1e6,
        held(is_small)
    );
    in_time && is_small
}

fn regrade(home: &Path) -> bool {
    let attempts = ATTEMPTS.to_string();
    let play = ["--agent", "random", "-k", &attempts, "--experiment", "many"];
    let (report, played) = run(home, &[&["run"][..], &GRADED, &play].concat(), &[0, 1]);
    let all = ATTEMPTS * GRADED.len() as u64;
    assert_eq!(report["summary"]["graded"], all);
    let (report, took) = run(home, &["regrade", "many"], &[0, 1]);
    assert_eq!(report["summary"]["same"], all, "{}", report["summary"]);
    let in_time = took <= REGRADE;
    println!(
        "graded {all} attempts again: {:.2} s  ≤ 10 s: {} (they were played in {:.0} s)",
        took.as_secs_f64(),
        held(in_time),
        played.as_secs_f64()
    );
    in_time
}
