//! Scaling with threads, compared with the same number of processes that share nothing.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mcpmark_sandbox::{GradeRequest, Limits, Sandbox, SandboxConfig, Verifier};
use mcpmark_snapshot::{Blobs, Digest, Snapshot};

use crate::{Bench, fixture};

/// Argument with which this program grades alone for a while and prints its rate.
pub(crate) const WORKER: &str = "worker";
const WHILE: Duration = Duration::from_secs(1);
const ROUNDS: usize = 5;

/// Throughput of grades.
#[derive(Clone, Copy)]
struct Rate {
    /// Grades per second.
    grades: f64,
    /// Processor time per grade, in microseconds.
    cpu: f64,
}

impl Bench {
    pub(crate) fn cores(&self) {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        println!(
            "\ngrades a second              1 thread  {cores} threads   ratio  {cores} processes  CPU of a grade"
        );
        for guest in ["empty", "rust", "csv"] {
            // The variants alternate, because other programs use a varying share of the machine.
            let mut rounds = [Vec::new(), Vec::new(), Vec::new()];
            for _ in 0..ROUNDS {
                rounds[0].push(self.rate(guest, 1));
                rounds[1].push(self.rate(guest, cores));
                rounds[2].push(processes(guest, cores));
            }
            let [one, all, apart] = rounds.map(best);
            println!(
                "{guest:26} {:>10.0} {:>10.0} {:>6.2}x {:>11.2}x {:>6.1} and {:.1} µs",
                one.grades,
                all.grades,
                all.grades / one.grades,
                apart.grades / one.grades,
                one.cpu,
                all.cpu,
            );
        }
    }

    fn rate(&self, guest: &str, threads: usize) -> Rate {
        let request = GradeRequest {
            verifier: self.named(guest).clone(),
            input: self.fixture.memory.clone(),
            limits: Limits::VERIFIER,
        };
        let requests = std::iter::repeat(request);
        let threads = NonZeroUsize::new(threads);
        let mut grades = self.sandbox.grade_many(requests, threads).unwrap();
        // Warm up until all threads are running.
        for run in grades.by_ref().take(50) {
            assert!(run.result.unwrap().passed());
        }
        let (start, cpu) = (Instant::now(), cpu());
        let mut count = 0;
        while start.elapsed() < WHILE {
            assert!(grades.next().unwrap().result.unwrap().passed());
            count += 1;
        }
        Rate {
            cpu: (self::cpu() - cpu) * 1e6 / f64::from(count),
            grades: f64::from(count) / start.elapsed().as_secs_f64(),
        }
    }

    fn named(&self, guest: &str) -> &Verifier {
        match guest {
            "csv" => &self.csv,
            "rust" => &self.rust,
            _ => &self.empty,
        }
    }

    /// Worker that [`processes`] starts: prints that it is ready, waits for its input to close, grades, and prints the
    /// rate.
    pub(crate) fn work(&self, guest: &str) {
        self.grade(self.named(guest), self.fixture.memory.clone());
        println!("ready");
        let _ = io::stdin().read(&mut [0]);
        let rate = self.rate(guest, 1);
        println!("{} {}", rate.grades, rate.cpu);
    }

    /// Measures the memory that running grades use in addition to the memory that remains mapped.
    pub(crate) fn memory(&self) {
        const AT_ONCE: u32 = 32;
        let config = SandboxConfig {
            slots: AT_ONCE,
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(&config).unwrap().trusting();
        let verifier = sandbox.verifier(&fixture::guest("csv.rs")).unwrap();
        let gate = Arc::new(Gate::default());
        let held = Held {
            blobs: Arc::clone(&self.fixture.memory.start.blobs),
            gate: Arc::clone(&gate),
        };
        let mut input = self.fixture.memory.clone();
        input.start = Snapshot::new(input.start.tree, Arc::new(held));
        let before = fixture::resident_kib();
        let request = GradeRequest {
            verifier,
            input,
            limits: Limits::VERIFIER,
        };
        let requests = std::iter::repeat_n(request, AT_ONCE as usize);
        let grades = sandbox.grade_many(requests, NonZeroUsize::new(AT_ONCE as usize));
        gate.wait_for(AT_ONCE);
        let each = (fixture::resident_kib().saturating_sub(before)) / u64::from(AT_ONCE);
        gate.open();
        assert!(grades.unwrap().all(|run| run.result.unwrap().passed()));
        let after = (fixture::resident_kib().saturating_sub(before)) / u64::from(AT_ONCE);
        println!("\nmemory of a grade in flight, {AT_ONCE} at once");
        let verdict = crate::bound::held(each as f64, 2_048.0, "2 MiB");
        println!("while it reads                 {each:>8} KiB  {verdict}");
        println!("kept for the next in its slot  {after:>8} KiB");
    }
}

fn best(rates: Vec<Rate>) -> Rate {
    Rate {
        grades: rates.iter().map(|rate| rate.grades).fold(0.0, f64::max),
        cpu: rates.iter().map(|rate| rate.cpu).fold(f64::MAX, f64::min),
    }
}

/// Runs one thread in each of several processes at the same time, and adds up their rates.
fn processes(guest: &str, count: usize) -> Rate {
    let start = |_| {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([WORKER, guest])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut ready)
            .unwrap();
        child
    };
    let mut children: Vec<Child> = (0..count).map(start).collect();
    for child in &mut children {
        drop(child.stdin.take());
    }
    let rates = children.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (grades, cpu) = text.trim().split_once(' ').unwrap();
        Rate {
            grades: grades.parse().unwrap(),
            cpu: cpu.parse().unwrap(),
        }
    });
    rates
        .reduce(|sum, rate| Rate {
            grades: sum.grades + rate.grades,
            cpu: sum.cpu.max(rate.cpu),
        })
        .unwrap()
}

/// Returns the processor time of this process in seconds, including the time in the kernel.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2);
    // The kernel reports hundredths of a second, regardless of its timer frequency.
    ticks
        .map(|ticks| ticks.parse::<f64>().unwrap())
        .sum::<f64>()
        / 100.0
}

/// Blobs that block each read until a gate opens.
struct Held {
    blobs: Arc<dyn Blobs>,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    waiting: Mutex<(u32, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.waiting.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    fn wait_for(&self, count: u32) {
        let state = self.waiting.lock().unwrap();
        drop(
            self.changed
                .wait_while(state, |state| state.0 < count)
                .unwrap(),
        );
    }

    fn open(&self) {
        self.waiting.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

impl Blobs for Held {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        let bytes = self.blobs.read(digest);
        self.gate.pass();
        bytes
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let bytes = self.blobs.read_range(digest, offset, length);
        self.gate.pass();
        bytes
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.blobs.contains(digest)
    }
}
