//! `mcpmark grade` as a whole process, compared with a process of `python3` that does nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::bound::{held, miss};
use crate::{Bench, Times, fixture, micros, ratio};

impl Bench {
    pub(crate) fn whole(&self) {
        let Some(mcpmark) = mcpmark() else {
            println!("\nwhole processes: `cargo build --release` first");
            miss();
            return;
        };
        let root = self.fixture.root.path();
        let verifiers = [("empty.rs", "empty.wasm"), ("csv.rs", "csv.wasm")];
        for (source, file) in verifiers {
            fs::write(root.join(file), fixture::guest(source)).unwrap();
        }
        let requests = |count: usize| {
            let line = r#"{"verifier": "csv.wasm", "start": "start", "state": "end"}"#;
            let file = format!("{count}.jsonl");
            fs::write(root.join(&file), format!("{line}\n").repeat(count)).unwrap();
            file
        };
        let batches = [requests(1), requests(101)];
        let grade = |arguments: &[&str]| {
            let mut command = Command::new(&mcpmark);
            let home = root.join("home");
            command.arg("grade").args(arguments).current_dir(root);
            command
                .env("MCPMARK_HOME", &home)
                .env("XDG_CACHE_HOME", &home);
            took(&mut command)
        };
        let single = |file| grade(&["--verifier", file, "--start", "start", "--state", "end"]);
        let interpreter = fixture::python();
        let python = || took(Command::new(&interpreter).args(["-c", "pass"]));
        let mut times: [Vec<Duration>; 5] = Default::default();
        // The first round compiles the verifiers and fills the store, and is not counted.
        for round in 0..21 {
            let row = [
                python(),
                single("empty.wasm"),
                single("csv.wasm"),
                grade(&["--batch", &batches[0]]),
                grade(&["--batch", &batches[1]]),
            ];
            if round > 0 {
                for (times, time) in times.iter_mut().zip(row) {
                    times.push(time);
                }
            }
        }
        let [python, empty, csv, one, many] = times.map(Times::of);
        println!("\nwhole processes                      p50     ratio");
        let by = |time: Duration| ratio(time, python.p50);
        let row = |name: &str, time: Duration, held: &str| {
            let line = format!("{name:34} {:>9} {:>6.2}x  {held}", micros(time), by(time));
            println!("{}", line.trim_end());
        };
        row("python3 -c pass", python.p50, "");
        let bound = held(by(empty.p50), 1.0, "1.00x");
        row("grade, empty verifier in Rust", empty.p50, &bound);
        row("grade, 100 KB of CSV", csv.p50, "");
        row("grade --batch, 1 line", one.p50, "");
        row(
            "grade --batch, each further line",
            many.p50.saturating_sub(one.p50) / 100,
            "",
        );
    }
}

fn took(command: &mut Command) -> Duration {
    let start = Instant::now();
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    start.elapsed()
}

/// Returns the `mcpmark` binary in the same target directory, if it was built.
fn mcpmark() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let release = own.ancestors().find(|dir| dir.ends_with("release"))?;
    Some(Path::new(release).join("mcpmark")).filter(|file| file.is_file())
}
