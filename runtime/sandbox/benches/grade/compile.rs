//! Time before the first grade: compilation in a child process, and loading from the cache.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_sandbox::{Compiler, Sandbox, SandboxConfig};

use crate::bound::held;
use crate::{Bench, Times, fixture, micros};

const CHILD: &str = env!("CARGO_BIN_EXE_mcpmark-compile-guest");

impl Bench {
    pub(crate) fn compile(&self) {
        let bytes = fixture::guest("csv.rs");
        let dir = tempfile::tempdir().unwrap();
        let config = |cache: Option<std::path::PathBuf>| SandboxConfig {
            compiler: Some(Compiler::new(CHILD, Vec::<String>::new())),
            cache,
            ..SandboxConfig::default()
        };
        let cached = Sandbox::new(&config(Some(dir.path().join("guests")))).unwrap();
        let fresh = Sandbox::new(&config(None)).unwrap();
        cached.verifier(&bytes).unwrap();
        println!(
            "\na verifier in Rust, {} KB              least       p50",
            bytes.len() / 1000
        );
        // Prints a row, with the bound of the median in milliseconds.
        let row = |name: &str, times: usize, bound: Option<f64>, work: &dyn Fn()| {
            let times = (0..times).map(|_| timed(work)).collect();
            let times = Times::of(times);
            let verdict = bound.map(|bound| {
                let shown = format!("{bound} ms");
                held(times.p50.as_secs_f64() * 1e3, bound, &shown)
            });
            println!(
                "{name:34} {:>9} {:>9}  {}",
                micros(times.least),
                micros(times.p50),
                verdict.unwrap_or_default()
            );
        };
        row("compiled in a child", 10, Some(300.0), &|| {
            fresh.verifier(&bytes).unwrap();
        });
        row("compiled in this process", 10, None, &|| {
            fresh.trusting().verifier(&bytes).unwrap();
        });
        row("a child that does nothing", 30, None, &|| {
            let mut child = Command::new(CHILD);
            child.stdin(Stdio::null()).stdout(Stdio::null());
            child.stderr(Stdio::null()).status().unwrap();
        });
        row("a sandbox", 10, None, &|| {
            Sandbox::new(&config(None)).unwrap();
        });
        row("loaded from the cache", 50, Some(3.0), &|| {
            cached.verifier(&bytes).unwrap();
        });
    }
}

fn timed(work: &dyn Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
