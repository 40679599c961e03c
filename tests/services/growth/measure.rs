//! Measurement of processor time and peak memory, and of their growth.

use std::fmt;
use std::hint::black_box;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum growth of the cost when the size doubles. Linear work doubles, quadratic work quadruples.
const MAX_RATIO: f64 = 2.5;

/// Number of times that the size is doubled before growth counts as more than linear. Work that no longer fits a cache
/// of the processor costs more than twice as much at one doubling; quadratic work does so at each of them.
const DOUBLINGS: u32 = 3;

/// Minimum and maximum number of measurements at each size. The cheapest one counts, because other load on the machine
/// only adds to the cost.
const FIRST_ROUNDS: usize = 2;
const LAST_ROUND: usize = 30;

/// Round from which on each round begins with a pause, so that a burst of other load does not affect all of them.
const PATIENT_ROUND: usize = 15;

/// Pause before the size is doubled once more.
const PAUSE: Duration = Duration::from_secs(1);

/// Costs that count as overhead: processor time in addition to the ratio, and bytes at the larger size regardless of
/// the smaller one. Both are small, so that excessive growth is visible in short work.
const NEGLIGIBLE: Cost = Cost {
    time: Duration::from_micros(500),
    bytes: 64 * 1024,
};

/// Cost of a piece of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time of all threads of the process.
    pub(crate) time: Duration,
    /// Peak of allocated bytes, without those that were allocated before.
    pub(crate) bytes: usize,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} and {} bytes", self.time, self.bytes)
    }
}

impl Cost {
    fn least(self, other: Self) -> Self {
        Self {
            time: self.time.min(other.time),
            bytes: self.bytes.min(other.bytes),
        }
    }

    /// Returns true if `doubled`, the cost at twice the size, is at most linear growth of this cost.
    fn allows(self, doubled: Self) -> bool {
        let within = |once: f64, twice: f64, overhead: f64| twice <= MAX_RATIO * once + overhead;
        let seconds = |cost: Self| cost.time.as_secs_f64();
        let time = within(seconds(self), seconds(doubled), seconds(NEGLIGIBLE));
        let bytes = within(self.bytes as f64, doubled.bytes as f64, 0.0);
        time && (bytes || doubled.bytes <= NEGLIGIBLE.bytes)
    }
}

/// Measures a piece of work.
pub(crate) fn cost(work: impl FnOnce()) -> Cost {
    let before = settled_usage();
    ALLOCATOR.reset_peak_usage();
    let start = processor_time();
    work();
    let time = processor_time().saturating_sub(start);
    let peak = ALLOCATOR.peak_usage();
    // Memory of earlier work that was freed during this work does not count as allocated before.
    let before = before.min(settled_usage());
    Cost {
        time,
        bytes: peak.saturating_sub(before),
    }
}

/// Returns the bytes in use after tasks of other threads have freed their memory.
fn settled_usage() -> usize {
    let mut usage = ALLOCATOR.current_usage();
    let mut unchanged = 0;
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(1));
        let now = ALLOCATOR.current_usage();
        unchanged = if now < usage { 0 } else { unchanged + 1 };
        usage = usage.min(now);
        if unchanged == 3 {
            break;
        }
    }
    usage
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// Fails if the cost of the work grows more than linearly when the size doubles.
///
/// `prepare` is called once for each size, and the function that it returns is run and measured several times. The
/// function must do the same in each run and check its result. `size` must be large enough that the work takes some
/// milliseconds. If the cost grows too much, the size is doubled again: the test fails only if the growth persists.
pub(crate) fn linear<W: FnMut()>(
    size: usize,
    mut prepare: impl FnMut(usize) -> W,
) -> Result<(), Failed> {
    let mut excesses = Vec::new();
    for doubling in 0..DOUBLINGS {
        if doubling > 0 {
            std::thread::sleep(PAUSE);
        }
        let smaller = size << doubling;
        match grows_linearly(prepare(smaller), prepare(2 * smaller)) {
            Ok(()) => return Ok(()),
            Err((once, doubled)) => excesses.push(format!(
                "size {smaller} costs {once}, size {} costs {doubled}",
                2 * smaller
            )),
        }
    }
    Err(Failed::from(format!(
        "the cost grows to more than {MAX_RATIO} times as much at each doubling: {}",
        excesses.join("; ")
    )))
}

/// Measures the work at a size and at twice that size until the growth is linear. Fails with the least costs.
fn grows_linearly<W: FnMut()>(mut work: W, mut doubled_work: W) -> Result<(), (Cost, Cost)> {
    let (mut once, mut doubled) = (cost(&mut work), cost(&mut doubled_work));
    // Other load can increase the measured cost at the smaller size and hide growth. Its effect decreases with each
    // round, so the growth must be linear in two consecutive rounds.
    let mut was_linear = false;
    for round in 1..=LAST_ROUND {
        let is_linear = round >= FIRST_ROUNDS && once.allows(doubled);
        if is_linear && was_linear {
            return Ok(());
        }
        was_linear = is_linear;
        if round >= PATIENT_ROUND {
            std::thread::sleep(Duration::from_millis(50));
        }
        once = once.least(cost(&mut work));
        doubled = doubled.least(cost(&mut doubled_work));
    }
    Err((once, doubled))
}

/// Returns tests of the measurement itself.
pub(crate) fn trials() -> Vec<Trial> {
    /// One doubling is enough to see that quadratic work is caught.
    fn caught<W: FnMut()>(size: usize, prepare: impl Fn(usize) -> W) -> Result<(), Failed> {
        match grows_linearly(prepare(size), prepare(2 * size)) {
            Ok(()) => Err(Failed::from("quadratic work passed as linear")),
            Err(_) => Ok(()),
        }
    }
    vec![
        Trial::test("measure::linear_work_passes", || {
            linear(4 << 20, |size| {
                move || {
                    let bytes: Vec<u8> = (0..size).map(|n| black_box(n as u8)).collect();
                    black_box(bytes);
                }
            })
        }),
        Trial::test("measure::quadratic_time_is_caught", || {
            caught(1_000, |size| {
                move || {
                    let pairs = (0..size).flat_map(|a| (0..size).map(move |b| a ^ b));
                    black_box(pairs.fold(0, |sum, pair| sum + black_box(pair)));
                }
            })
        }),
        Trial::test("measure::a_few_milliseconds_are_enough", || {
            caught(700, |size| {
                move || {
                    let pairs = (0..size).flat_map(|a| (0..size).map(move |b| a ^ b));
                    black_box(pairs.fold(0, |sum, pair| sum + black_box(pair)));
                }
            })
        }),
        Trial::test("measure::little_memory_is_enough", || {
            caught(200, |size| {
                move || {
                    black_box(vec![0_u8; size * size]);
                }
            })
        }),
        Trial::test("measure::quadratic_memory_is_caught", || {
            caught(1_000, |size| {
                move || {
                    black_box(vec![0_u8; size * size]);
                }
            })
        }),
    ]
}
