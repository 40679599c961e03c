//! Cost of grading with Python scripts, compared with native `python3` for the same script and state.
//!
//! `cargo bench --workspace --bench python`: what is held to a bound stands whether it is met; where
//! one is missed the exit code is 1. What is compared runs in turn, since other programs take their
//! share of a machine.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mcpmark_build::python::{PythonGuest, PythonSource};
use mcpmark_grading::{Script, ScriptContext, grade_script};
use mcpmark_sandbox::{Interpreter, Limits, Sandbox, SandboxConfig, ScriptInput, Snapshot};

const ROUNDS: usize = 20;
const SCRIPTS: [&str; 6] = [
    "answer-file",
    "csv-totals",
    "duplicates-by-md5",
    "html-authors",
    "regular-expressions",
    "sqlite-dump",
];
/// The script that is judged with many times at once.
const MANY: &str = "html-authors";
/// Has this program grade alone for a while and tell how often.
const WORKER: &str = "worker";
const WHILE: Duration = Duration::from_secs(2);

/// A grade, in processes of native Python.
const MAX_OF_PYTHON: f64 = 0.5;
const MAX_LOADING: Duration = Duration::from_millis(30);
const MAX_MEMORY: f64 = 64.0;
/// Throughput of four or more threads, as a share of the ideal on as many cores.
const LEAST_OF_CORES: f64 = 0.75;

static MISSED: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark");
    let source = PythonSource {
        given: None,
        cache: cache.clone(),
        allow_install: true,
    };
    let made = match source.guest(&mut |event| println!("{event}")) {
        Ok(made) => made,
        Err(error) => {
            println!("nothing is measured: {error}");
            return ExitCode::SUCCESS;
        }
    };
    if std::env::args().any(|argument| argument == WORKER) {
        Bench::new(&cache, &made).work();
        return ExitCode::SUCCESS;
    }
    // The first one may have to compile it.
    Bench::new(&cache, &made);
    let loads = repeat(|| Bench::load(&cache, &made).0);
    let held = held(
        median(&loads).as_secs_f64(),
        MAX_LOADING.as_secs_f64(),
        "30 ms",
    );
    println!("load the compiled guest     {}  {held}", shown(&loads));
    let bench = Bench::new(&cache, &made);
    bench.memory();
    bench.each_script();
    bench.at_once();
    if MISSED.load(Ordering::Relaxed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Whether a figure keeps a bound, in words that name it.
fn held(figure: f64, bound: f64, shown: &str) -> String {
    told(figure <= bound, format!("≤ {shown}"))
}

fn at_least(figure: f64, bound: f64, shown: &str) -> String {
    told(figure >= bound, format!("≥ {shown}"))
}

fn told(is_met: bool, bound: String) -> String {
    if !is_met {
        MISSED.store(true, Ordering::Relaxed);
    }
    format!("{bound}: {}", if is_met { "met" } else { "missed" })
}

struct Bench {
    sandbox: Sandbox,
    interpreter: Interpreter,
}

/// A script, and what it judges.
struct Case {
    script: PathBuf,
    state: PathBuf,
    input: ScriptInput,
}

impl Bench {
    fn load(cache: &Path, made: &PythonGuest) -> (Duration, Self) {
        let config = SandboxConfig {
            cache: Some(cache.join("compiled")),
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(&config).expect("an engine");
        let start = Instant::now();
        let interpreter = sandbox
            .trusting()
            .interpreter_of(made.digest, || fs::read(&made.file))
            .expect("a guest that fits");
        let bench = Self {
            sandbox,
            interpreter,
        };
        (start.elapsed(), bench)
    }

    fn new(cache: &Path, made: &PythonGuest) -> Self {
        Self::load(cache, made).1
    }

    fn grade(&self, input: &ScriptInput) {
        let (outcome, _) = grade_script(&self.sandbox, &self.interpreter, input, &Limits::SCRIPT);
        assert_eq!(outcome.passed(), Some(true), "{outcome:?}");
    }

    /// Each script here and natively; and a whole process of either.
    fn each_script(&self) {
        println!(
            "\n{:<22} {:<26} {:<26} {:<22} whole `mcpmark grade`",
            "script", "a grade", "python3 process", "ratio of medians"
        );
        let python = native_python();
        for name in SCRIPTS {
            let case = case(name);
            let mut native_call = Command::new(&python);
            native_call.arg("-I").arg(&case.script);
            native_call.env("FILESYSTEM_TEST_DIR", &case.state);
            let mut whole_call = Command::new(env!("CARGO_BIN_EXE_mcpmark"));
            whole_call.args(["grade", "--verifier"]).arg(&case.script);
            whole_call.arg("--state").arg(&case.state);
            let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-python");
            whole_call.env("MCPMARK_HOME", home);
            whole_call.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));

            let [mut here, mut native, mut whole] = [Vec::new(), Vec::new(), Vec::new()];
            for _ in 0..ROUNDS {
                here.push(timed(|| self.grade(&case.input)));
                native.push(timed(|| passes(&mut native_call)));
                whole.push(timed(|| passes(&mut whole_call)));
            }
            let by =
                |times: &[Duration]| median(times).as_secs_f64() / median(&native).as_secs_f64();
            let held = held(by(&here), MAX_OF_PYTHON, "0.50");
            println!(
                "{name:<22} {:<26} {:<26} {:.2} {held:<17} {}, {:.2}",
                shown(&here),
                shown(&native),
                by(&here),
                shown(&whole),
                by(&whole),
            );
        }
    }

    /// Memory of concurrent grades beyond that of sequential ones.
    fn memory(&self) {
        const AT_ONCE: usize = 8;
        let input = case(MANY).input;
        self.grade(&input);
        let before = resident("VmRSS:");
        // From here on the peak is counted anew.
        if fs::File::create("/proc/self/clear_refs")
            .and_then(|mut file| file.write_all(b"5"))
            .is_err()
        {
            return println!("memory in flight            not measured: no peak of this system");
        }
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| (0..ROUNDS).for_each(|_| self.grade(&input)));
            }
        });
        let each = (resident("VmHWM:").saturating_sub(before)) as f64 / 1024.0 / AT_ONCE as f64;
        let held = held(each, MAX_MEMORY, "64 MiB");
        println!("memory of each of 8 at once {each:.1} MiB, {before} KiB before  {held}");
    }

    /// How many grades a second threads of one process make, and processes of one thread.
    fn at_once(&self) {
        const TURNS: usize = 3;
        println!(
            "\n{:<24} {:>9} {:>9} {:>22}",
            "at once", "a second", "of one", "processor of a grade"
        );
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let settings = [
            (1, true),
            (2, true),
            (4, true),
            (8, true),
            (cores, false),
            (8, false),
        ];
        let mut best = [Rate::default(); 6];
        for _ in 0..TURNS {
            for (best, (count, is_threads)) in best.iter_mut().zip(settings) {
                let rate = if is_threads {
                    self.threads(count)
                } else {
                    processes(count)
                };
                if rate.grades > best.grades {
                    *best = rate;
                }
            }
        }
        for (rate, (count, is_threads)) in best.iter().zip(&settings) {
            let kind = if *is_threads { "threads" } else { "processes" };
            let of_one = rate.grades / best[0].grades;
            let held = if *is_threads && *count >= 4 {
                let least = LEAST_OF_CORES * cores.min(*count) as f64;
                format!("  {}", at_least(of_one, least, &format!("{least:.1}x")))
            } else {
                String::new()
            };
            println!(
                "{:<24} {:>9.0} {of_one:>8.2}x {:>19.1} ms{held}",
                format!("{count} {kind}"),
                rate.grades,
                rate.cpu * 1000.0,
            );
        }
    }

    fn threads(&self, count: usize) -> Rate {
        let input = case(MANY).input;
        self.grade(&input);
        let (start, before) = (Instant::now(), cpu());
        let grades: usize = std::thread::scope(|scope| {
            let grade_on = || {
                let mut grades = 0;
                while start.elapsed() < WHILE {
                    self.grade(&input);
                    grades += 1;
                }
                grades
            };
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(grade_on)).collect();
            let counts = threads.into_iter().map(|it| it.join().expect("grades"));
            counts.sum()
        });
        Rate {
            grades: grades as f64 / start.elapsed().as_secs_f64(),
            cpu: (cpu() - before) / grades as f64,
        }
    }

    /// What [`processes`] starts: says that it is ready, waits for a word, grades, and tells the
    /// rate.
    fn work(&self) {
        self.grade(&case(MANY).input);
        println!("ready");
        let _ = std::io::stdin().read(&mut [0]);
        let rate = self.threads(1);
        println!("{} {}", rate.grades, rate.cpu);
    }
}

/// Grades of a while.
#[derive(Clone, Copy, Default)]
struct Rate {
    /// Grades a second.
    grades: f64,
    /// Seconds of processor time that one took.
    cpu: f64,
}

/// The same on one thread in each of several processes, all together.
fn processes(count: usize) -> Rate {
    let start = |_| {
        let mut child = Command::new(std::env::current_exe().expect("a name"))
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut ready = [0; 6];
        let stdout = child.stdout.as_mut().expect("its output");
        stdout.read_exact(&mut ready).expect("a word");
        child
    };
    let mut children: Vec<Child> = (0..count).map(start).collect();
    for child in &mut children {
        drop(child.stdin.take());
    }
    let rates = children.into_iter().map(|child| {
        let output = child.wait_with_output().expect("its output");
        let text = String::from_utf8(output.stdout).expect("text");
        let (grades, cpu) = text.trim().split_once(' ').expect("two numbers");
        Rate {
            grades: grades.parse().expect("a number"),
            cpu: cpu.parse().expect("a number"),
        }
    });
    let sum = rates.reduce(|sum, rate| Rate {
        grades: sum.grades + rate.grades,
        cpu: sum.cpu.max(rate.cpu),
    });
    sum.unwrap_or_default()
}

/// The interpreter itself: what stands under its name may be a script that looks for it.
fn native_python() -> PathBuf {
    let asked = Command::new("python3")
        .args(["-I", "-c", "import sys; print(sys.executable)"])
        .output()
        .expect("python3");
    PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim())
}

fn case(name: &str) -> Case {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/python/corpus")
        .join(name);
    let (script, state) = (dir.join("verify.py"), dir.join("state"));
    let input = Script::read(&script)
        .expect("a script")
        .input(ScriptContext {
            state: Snapshot::of_directory(&state).expect("a state"),
            answer: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            clock: 0,
            services: None,
        });
    Case {
        script,
        state,
        input,
    }
}

fn passes(command: &mut Command) {
    let ran = command.output().expect("a process");
    assert!(ran.status.success(), "{command:?}: {ran:?}");
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn repeat(work: impl Fn() -> Duration) -> Vec<Duration> {
    (0..ROUNDS).map(|_| work()).collect()
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

/// Memory of this process, in KiB, by the name that the system has for it.
fn resident(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// Seconds of processor time of this process, the system's part included.
fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = fields.split(' ').skip(11).take(2);
    // The kernel tells it in hundredths, whatever its own clock is.
    ticks.filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / 100.0
}
