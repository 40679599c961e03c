//! Cost of a grade, as ratios within one run: `cargo bench --workspace --bench grade`. An argument such as `--
//! settings` selects one part. A figure with a bound shows whether the bound is met. If one is missed, the exit code is
//! 1.
#![allow(clippy::print_stdout, reason = "its table is what it is for")]

mod bound;
mod compile;
mod cores;
mod fixture;
mod settings;
mod whole;

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use mcpmark_sandbox::{Limits, Sandbox, SandboxConfig, Verifier, VerifyInput};

use crate::bound::held;
use crate::fixture::{Fixture, guest, wat};

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let bench = Bench::new();
    if let [worker, guest] = wanted.as_slice()
        && worker == cores::WORKER
    {
        bench.work(guest);
        return ExitCode::SUCCESS;
    }
    for (name, part) in [
        ("grade", Bench::grades as fn(&Bench)),
        ("python", Bench::python),
        ("whole", Bench::whole),
        ("cores", Bench::cores),
        ("flat", Bench::flat),
        ("memory", Bench::memory),
        ("compile", Bench::compile),
    ] {
        if runs(name) {
            part(&bench);
        }
    }
    if runs("settings") {
        settings::compare();
    }
    ExitCode::from(u8::from(bound::is_missed()))
}

struct Bench {
    sandbox: Sandbox,
    empty: Verifier,
    rust: Verifier,
    csv: Verifier,
    fixture: Fixture,
    /// Fixture as long as typical files of tasks.
    short: Fixture,
}

impl Bench {
    fn new() -> Self {
        let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
        let load = |bytes: Vec<u8>| sandbox.verifier(&bytes).unwrap();
        Self {
            empty: load(wat("well-behaved")),
            rust: load(guest("empty.rs")),
            csv: load(guest("csv.rs")),
            sandbox,
            fixture: Fixture::of(100_000),
            short: Fixture::of(10_000),
        }
    }

    fn grade(&self, verifier: &Verifier, input: VerifyInput) {
        let run = self.sandbox.verify(verifier, input, &Limits::VERIFIER);
        assert!(run.result.unwrap().passed());
    }

    fn time(&self, verifier: &Verifier, input: &VerifyInput, times: usize) -> Times {
        for _ in 0..times / 10 {
            self.grade(verifier, input.clone());
        }
        let times = (0..times).map(|_| {
            let input = input.clone();
            let start = Instant::now();
            self.grade(verifier, input);
            start.elapsed()
        });
        Times::of(times.collect())
    }

    fn grades(&self) {
        println!("\nwarm grades, one thread             least       p50       p99       fuel");
        let Fixture { memory, disk, .. } = &self.fixture;
        let (empty, csv) = ((60e-6, "60 µs"), (500e-6, "500 µs"));
        for (name, verifier, input, (bound, shown)) in [
            ("empty verifier", &self.empty, memory, empty),
            ("empty verifier in Rust", &self.rust, memory, empty),
            ("100 KB of CSV, in memory", &self.csv, memory, csv),
            ("100 KB of CSV, in a store on disk", &self.csv, disk, csv),
        ] {
            let times = self.time(verifier, input, 2_000);
            let fuel = self
                .sandbox
                .verify(verifier, input.clone(), &Limits::VERIFIER)
                .fuel;
            println!(
                "{name:34} {:>9} {:>9} {:>9} {fuel:>9}  p50 {}",
                micros(times.least),
                micros(times.p50),
                micros(times.p99),
                held(times.p50.as_secs_f64(), bound, shown)
            );
        }
    }

    /// Compares the same check in a process of `python3` per grade, alternating with the sandbox.
    fn python(&self) {
        let (short, long) = ((1.0 / 200.0, "a 200th"), (1.0 / 100.0, "a 100th"));
        self.beside_python("10 KB", &self.short, short);
        self.beside_python("100 KB", &self.fixture, long);
    }

    fn beside_python(&self, size: &str, fixture: &Fixture, (bound, shown): (f64, &str)) {
        let Fixture { disk, root, .. } = fixture;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/guests/register.py");
        let (mut ours, mut theirs, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        // Looked up before the measurement, because the lookup starts a process.
        let interpreter = fixture::python();
        let python = |arguments: &[&std::ffi::OsStr]| {
            let start = Instant::now();
            let status = Command::new(&interpreter).args(arguments).status();
            assert!(
                status.is_ok_and(|status| status.success()),
                "python3 does not run"
            );
            start.elapsed()
        };
        for _ in 0..30 {
            ours.push(self.time(&self.csv, disk, 50).p50);
            let (start, end) = (root.path().join("start"), root.path().join("end"));
            theirs.push(python(&[
                script.as_ref(),
                start.as_os_str(),
                end.as_os_str(),
            ]));
            bare.push(python(&["-c".as_ref(), "pass".as_ref()]));
        }
        let (ours, theirs, bare) = (Times::of(ours), Times::of(theirs), Times::of(bare));
        println!(
            "\n{:<37}p50     ratio",
            format!("the same check, {size} of CSV")
        );
        let share = held(
            ratio(ours.p50, theirs.p50),
            bound,
            &format!("{shown} of the process"),
        );
        for (name, time, held) in [
            ("sandbox", ours.p50, share.as_str()),
            ("python3 -c pass", bare.p50, ""),
            ("python3 process", theirs.p50, ""),
        ] {
            let by = ratio(time, ours.p50);
            let line = format!("{name:34} {:>7} {by:>8.0}x  {held}", micros(time));
            println!("{}", line.trim_end());
        }
    }

    fn flat(&self) {
        println!("\n100,000 grades in one process        p50    memory");
        let mut times = Vec::new();
        let mut begun = None;
        for number in 1..=100_000_u32 {
            let input = self.fixture.memory.clone();
            let csv = number % 100 == 0;
            let verifier = if csv { &self.csv } else { &self.rust };
            let start = Instant::now();
            self.grade(verifier, input);
            if !csv {
                times.push(start.elapsed());
            }
            if ![10, 100, 1_000, 10_000, 50_000, 100_000].contains(&number) {
                continue;
            }
            let last = Times::of(times.split_off(times.len().saturating_sub(800))).p50;
            times.clear();
            let memory = fixture::resident_kib();
            // After this number every part of the program has run.
            if number == 1_000 {
                begun = Some((last, memory));
            }
            let share = match begun {
                Some((first, before)) if number == 100_000 => format!(
                    "  {}, {}",
                    held(ratio(last, first), 1.5, "1.5x of that after 1,000"),
                    held(memory as f64, before as f64 + 4096.0, "4 MiB more")
                ),
                _ => String::new(),
            };
            println!(
                "after {number:<28} {:>7} {memory:>6} KiB{share}",
                micros(last)
            );
        }
    }
}

struct Times {
    /// First percentile: the time if no other program uses the machine.
    least: Duration,
    p50: Duration,
    p99: Duration,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Self {
            least: at(0.01),
            p50: at(0.5),
            p99: at(0.99),
        }
    }
}

fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

fn ratio(time: Duration, base: Duration) -> f64 {
    time.as_secs_f64() / base.as_secs_f64()
}
