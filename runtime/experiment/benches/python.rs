//! What judging with Python scripts costs, beside a native `python3` process for the same
//! script and state: `cargo bench -p mcpmark-experiment --bench python`.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use mcpmark_experiment::{GivenToScript, Script, grade_script};
use mcpmark_sandbox::{Interpreter, Limits, Sandbox, SandboxConfig, ScriptInput, Snapshot};
use mcpmark_task::python::PythonSource;

const ROUNDS: usize = 20;
const SCRIPTS: [&str; 6] = [
    "answer-file",
    "csv-totals",
    "duplicates-by-md5",
    "html-authors",
    "regular-expressions",
    "sqlite-dump",
];

fn main() {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark");
    let source = PythonSource {
        given: None,
        cache: cache.clone(),
        allow_install: true,
    };
    let made = match source.guest(&mut |event| println!("{event}")) {
        Ok(made) => made,
        Err(error) => return println!("nothing is measured: {error}"),
    };
    let load = || {
        let config = SandboxConfig {
            cache: Some(cache.join("compiled")),
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(&config).expect("an engine");
        let start = Instant::now();
        let interpreter = sandbox
            .trusting()
            .interpreter_of(made.digest, || fs::read(&made.file));
        let interpreter = interpreter.expect("a guest that fits");
        (start.elapsed(), sandbox, interpreter)
    };
    // The first one may have to compile it.
    load();
    let loads: Vec<Duration> = (0..ROUNDS).map(|_| load().0).collect();
    println!("load the compiled guest     {}", shown(&loads));
    let (_, sandbox, interpreter) = load();
    each_script(&sandbox, &interpreter);
    at_once(&sandbox, &interpreter);
}

fn each_script(sandbox: &Sandbox, interpreter: &Interpreter) {
    println!(
        "{:<24} {:<28} {:<28} ratio of medians",
        "script", "here", "python3 process"
    );
    let python = native_python();
    for name in SCRIPTS {
        let (script, state, input) = case(name);
        let here = repeat(|| grade(sandbox, interpreter, &input));
        let native = repeat(|| {
            let ran = Command::new(&python)
                .arg("-I")
                .arg(&script)
                .env("FILESYSTEM_TEST_DIR", &state)
                .output();
            assert!(
                ran.expect("python3").status.success(),
                "{name} passes natively"
            );
        });
        let ratio = median(&here).as_secs_f64() / median(&native).as_secs_f64();
        println!(
            "{name:<24} {:<28} {:<28} {ratio:.2}",
            shown(&here),
            shown(&native)
        );
    }
}

/// How many grades a second several threads make, and what each takes in memory.
fn at_once(sandbox: &Sandbox, interpreter: &Interpreter) {
    let (_, _, input) = case("html-authors");
    let before = resident();
    let mut alone = 0.0;
    for threads in [1, 2, 4, 8] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| (0..ROUNDS).for_each(|_| grade(sandbox, interpreter, &input)));
            }
        });
        let rate = (threads * ROUNDS) as f64 / start.elapsed().as_secs_f64();
        if threads == 1 {
            alone = rate;
        }
        println!(
            "{threads} at once: {rate:.0} grades a second, {:.2} of one",
            rate / alone
        );
    }
    let each = resident().saturating_sub(before) / 8;
    println!("memory at 8 at once: {before} KiB before, {each} KiB more for each (peak)");
}

/// The interpreter itself: what stands under its name may be a script that looks for it.
fn native_python() -> PathBuf {
    let asked = Command::new("python3")
        .args(["-I", "-c", "import sys; print(sys.executable)"])
        .output()
        .expect("python3");
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim())
}

fn case(name: &str) -> (PathBuf, PathBuf, ScriptInput) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/python/corpus")
        .join(name);
    let (script, state) = (dir.join("verify.py"), dir.join("state"));
    let input = Script::read(&script)
        .expect("a script")
        .input(GivenToScript {
            state: Snapshot::of_directory(&state).expect("a state"),
            answer: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            clock: 0,
            services: None,
        });
    (script, state, input)
}

fn grade(sandbox: &Sandbox, interpreter: &Interpreter, input: &ScriptInput) {
    let (outcome, _) = grade_script(sandbox, interpreter, input, &Limits::SCRIPT);
    assert_eq!(outcome.passed(), Some(true), "{outcome:?}");
}

fn repeat(mut work: impl FnMut()) -> Vec<Duration> {
    let timed = |()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    std::iter::repeat_n((), ROUNDS).map(timed).collect()
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

fn shown(times: &[Duration]) -> String {
    let least = times.iter().min().copied().unwrap_or_default();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    format!(
        "min {:.1} med {:.1} ms",
        milliseconds(least),
        milliseconds(median(times))
    )
}

/// The most memory that this process has had, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}
