//! Memory budget shared by the sessions of a process.
//!
//! Tools reserve memory before they allocate in proportion to foreign sizes, and services report the memory of a world.
//! A [`MemoryBudget`] bounds the sum: a reservation that exceeds it is refused. Memory that is not reserved appears in
//! the resident memory of the process, which [`MemoryBudget::watch`] samples several times a second: if it exceeds the
//! budget, the calls of one session are stopped, and the other sessions continue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::calls::WeakCalls;

/// Interval between samples of the resident memory.
const INTERVAL: Duration = Duration::from_millis(200);
/// Number of samples after which the memory of a stopped call is assumed to be released, as far as it ever will be.
const SETTLING: u32 = 10;
/// Reserved bytes from which on a session may be stopped for using too much memory.
const LARGE: u64 = 16 << 20;
/// Running time from which on a call without such reservations may be stopped.
const LONG: Duration = Duration::from_secs(1);

/// Memory budget of all sessions of a process. Clones share the budget.
#[derive(Debug, Clone)]
pub struct MemoryBudget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: AtomicU64,
    reserved: AtomicU64,
    sessions: Mutex<Vec<WeakCalls>>,
}

/// Memory that one session uses of a budget.
#[derive(Debug)]
pub(crate) struct Account {
    budget: MemoryBudget,
    /// Bytes reserved by running calls.
    reserved: AtomicU64,
    /// Bytes of the world in memory.
    world: AtomicU64,
    /// Bytes that the client retains for results.
    held: AtomicU64,
}

impl MemoryBudget {
    /// Creates a budget of `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self(Arc::new(Shared {
            limit: AtomicU64::new(limit),
            reserved: AtomicU64::new(0),
            sessions: Mutex::default(),
        }))
    }

    /// Returns the budget of this process, which sessions use by default. It is unlimited until
    /// [`limit_to`](Self::limit_to) is called.
    pub fn of_process() -> Self {
        static BUDGET: OnceLock<MemoryBudget> = OnceLock::new();
        BUDGET.get_or_init(|| Self::new(u64::MAX)).clone()
    }

    /// Sets the limit in bytes. Existing reservations are kept.
    pub fn limit_to(&self, limit: u64) {
        self.0.limit.store(limit, Ordering::Relaxed);
    }

    /// Returns the limit in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit.load(Ordering::Relaxed)
    }

    /// Returns the bytes that all sessions use now.
    pub fn reserved(&self) -> u64 {
        self.0.reserved.load(Ordering::Relaxed)
    }

    /// Starts a thread that samples the resident memory of this process. Does nothing if the system does not report it.
    pub fn watch(&self) {
        let budget = self.clone();
        if resident_memory().is_none() {
            return;
        }
        // If the thread cannot be started, only reservations are limited.
        let _ = std::thread::Builder::new()
            .name("memory".to_owned())
            .spawn(move || {
                let mut watcher = Watcher::default();
                while let Some(resident) = resident_memory() {
                    watcher.look(&budget, resident);
                    std::thread::sleep(INTERVAL);
                }
            });
    }

    /// Registers a session, so that its calls can be stopped.
    pub(crate) fn enter(&self, session: WeakCalls) {
        let mut sessions = self.sessions();
        sessions.retain(WeakCalls::is_alive);
        sessions.push(session);
    }

    /// Stops the calls of the session that most likely causes the high memory use. Returns false if no session
    /// qualifies.
    fn stop_largest(&self, resident: u64) -> bool {
        let sessions: Vec<_> = self.sessions().iter().filter_map(WeakCalls::get).collect();
        let now = Instant::now();
        let to_blame = sessions.iter().filter_map(|calls| {
            let (tool, since) = match calls.oldest() {
                Some((tool, since)) => (Some(tool), since),
                None => (None, now),
            };
            let bytes = calls.account().blamed();
            let blamed = bytes >= LARGE || since.elapsed() >= LONG;
            blamed.then_some((bytes, since, tool, calls))
        });
        // Sizes are compared in multiples of `LARGE`. For equal sizes, the call that began first is stopped.
        let largest = to_blame.max_by(|(one, began, ..), (other, later, ..)| {
            let by_size = (*one / LARGE).cmp(&(*other / LARGE));
            by_size.then_with(|| later.cmp(began))
        });
        let Some((bytes, _, tool, calls)) = largest else {
            return false;
        };
        let limit = self.limit();
        let what = match tool {
            Some(tool) => format!("the tool `{tool}`"),
            None => "the session".to_owned(),
        };
        calls.stop(&format!(
            "{what} was stopped: the process used {resident} bytes of memory, and its budget is {limit}; its calls \
             and its conversation had reserved {bytes}"
        ));
        true
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<WeakCalls>> {
        self.0
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    /// Creates the account of a session without reservations.
    pub(crate) fn of(budget: &MemoryBudget) -> Self {
        Self {
            budget: budget.clone(),
            reserved: AtomicU64::new(0),
            world: AtomicU64::new(0),
            held: AtomicU64::new(0),
        }
    }

    /// Returns the bytes that running calls have reserved and that the client retains.
    fn blamed(&self) -> u64 {
        let held = self.held.load(Ordering::Relaxed);
        self.reserved.load(Ordering::Relaxed).saturating_add(held)
    }

    /// Reserves memory for a call. If the budget is exceeded, returns the number of available bytes.
    pub(crate) fn reserve(&self, bytes: u64) -> Result<(), u64> {
        self.take(bytes)?;
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Takes bytes from the budget. If it is exceeded, returns the number of available bytes.
    fn take(&self, bytes: u64) -> Result<(), u64> {
        let limit = self.budget.limit();
        let within = |taken: u64| taken.checked_add(bytes).filter(|sum| *sum <= limit);
        let total = &self.budget.0.reserved;
        total
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .map(|_| ())
            .map_err(|taken| limit.saturating_sub(taken))
    }

    /// Sets the bytes that the client of the session retains. If the budget is exceeded, returns the number of
    /// available bytes. Must not be called concurrently.
    pub(crate) fn set_held(&self, bytes: u64) -> Result<(), u64> {
        let before = self.held.load(Ordering::Relaxed);
        match bytes.checked_sub(before) {
            Some(more) => self.take(more)?,
            None => {
                let less = before - bytes;
                self.budget.0.reserved.fetch_sub(less, Ordering::Relaxed);
            }
        }
        self.held.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.0.reserved.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Sets the bytes of the world in memory. They are limited by the world's own limits, so they are only counted
    /// here.
    pub(crate) fn set_world(&self, bytes: u64) {
        let before = self.world.swap(bytes, Ordering::Relaxed);
        let total = &self.budget.0.reserved;
        total.fetch_add(bytes, Ordering::Relaxed);
        total.fetch_sub(before, Ordering::Relaxed);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.set_world(0);
        // A decrease is never refused.
        let _ = self.set_held(0);
    }
}

/// Policy that decides when a sample of the resident memory stops a call.
#[derive(Debug, Default)]
struct Watcher {
    /// Samples to skip while the memory of the last stopped call is released.
    settling: u32,
    /// Memory that the process retains after that. Allocators keep some memory, and no later call is stopped for it.
    kept: u64,
}

impl Watcher {
    fn look(&mut self, budget: &MemoryBudget, resident: u64) {
        let limit = budget.limit();
        if self.settling > 0 {
            self.settling -= 1;
            self.kept = resident;
            return;
        }
        self.kept = self.kept.min(resident);
        let grown = self.kept.saturating_add(limit / 8);
        if resident > limit.max(grown) && budget.stop_largest(resident) {
            self.settling = SETTLING;
        }
    }
}

/// Returns the anonymous and shared resident memory of this process in bytes, without pages of files.
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| kilobytes(&status, name);
    Some(field("RssAnon:")?.saturating_add(field("RssShmem:").unwrap_or(0)))
}

/// Returns the memory of this machine, or the limit of the control group of this process if it is lower, in bytes.
pub fn machine_memory() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemTotal:"));
    let groups = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    // The value `max`, which means no limit, does not parse.
    let group = groups
        .into_iter()
        .find_map(|path| read(path)?.trim().parse::<u64>().ok());
    match (machine, group) {
        (Some(machine), Some(group)) => Some(machine.min(group)),
        (machine, group) => machine.or(group),
    }
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(number.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::Calls;
    use crate::meter::Interrupted;

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_sum_of_all_sessions_is_bounded() {
        let budget = MemoryBudget::new(100 * MIB);
        let (one, other) = (Calls::within(&budget), Calls::within(&budget));
        let first = one.begin("a", u64::MAX).unwrap();
        let second = other.begin("b", u64::MAX).unwrap();
        let held = first.meter().run(|| crate::reserve(90 * MIB)).unwrap();
        let refused = second.meter().run(|| crate::reserve(11 * MIB));
        let limit = 10 * MIB;
        assert_eq!(refused.err(), Some(Interrupted::Memory { limit }));
        let small = second.meter().run(|| crate::reserve(10 * MIB)).unwrap();
        assert_eq!(budget.reserved(), 100 * MIB);
        drop(held);
        assert_eq!(budget.reserved(), 10 * MIB);
        assert_eq!((first.meter().used(), second.meter().used()), (0, 10 * MIB));
        drop(small);

        // The memory of a world counts, is never refused, and is released with its session.
        one.set_world(95 * MIB);
        assert!(second.meter().run(|| crate::reserve(6 * MIB)).is_err());
        one.set_world(5 * MIB);
        assert!(second.meter().run(|| crate::reserve(6 * MIB)).is_ok());
        assert_eq!(budget.reserved(), 5 * MIB);
        drop((first, one));
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn the_call_with_the_largest_reservations_is_stopped_and_no_other() {
        let budget = MemoryBudget::new(1000 * MIB);
        let (one, other) = (Calls::within(&budget), Calls::within(&budget));
        let small = one.begin("small", u64::MAX).unwrap();
        let large = other.begin("large", u64::MAX).unwrap();
        let _small = small.meter().run(|| crate::reserve(20 * MIB)).unwrap();
        let _large = large.meter().run(|| crate::reserve(200 * MIB)).unwrap();
        let mut watcher = Watcher::default();
        watcher.look(&budget, 1000 * MIB);
        assert!(!large.meter().is_cancelled(), "the budget is not passed");
        watcher.look(&budget, 1001 * MIB);
        assert!(large.meter().is_cancelled() && !small.meter().is_cancelled());
        let reason = other.stopped().unwrap();
        assert!(reason.contains("`large` was stopped"), "{reason}");
        assert_eq!(one.stopped(), None);
    }

    #[test]
    fn memory_that_a_client_keeps_counts_against_it() {
        let budget = MemoryBudget::new(100 * MIB);
        let (one, other) = (Calls::within(&budget), Calls::within(&budget));
        one.hold(90 * MIB).unwrap();
        assert_eq!(other.hold(11 * MIB), Err(10 * MIB));
        assert_eq!(budget.reserved(), 90 * MIB);
        let call = other.begin("quick", u64::MAX).unwrap();
        Watcher::default().look(&budget, 101 * MIB);
        assert!(!call.meter().is_cancelled());
        assert!(
            one.stopped()
                .unwrap()
                .starts_with("the session was stopped")
        );
        one.hold(20 * MIB).unwrap();
        other.hold(80 * MIB).unwrap();
        drop((call, one, other));
        assert_eq!(budget.reserved(), 0);
    }

    #[test]
    fn memory_that_the_process_keeps_stops_no_later_call() {
        let budget = MemoryBudget::new(1000 * MIB);
        let calls = Calls::within(&budget);
        let begin = || {
            let call = calls.begin("large", u64::MAX).unwrap();
            let held = call.meter().run(|| crate::reserve(100 * MIB)).unwrap();
            (call, held)
        };
        let mut watcher = Watcher::default();
        let stopped = begin();
        watcher.look(&budget, 2000 * MIB);
        assert!(stopped.0.meter().is_cancelled());
        drop(stopped);
        let next = begin();
        for _ in 0..2 * SETTLING {
            watcher.look(&budget, 1500 * MIB);
        }
        assert!(!next.0.meter().is_cancelled());
        // When the call takes more memory, it is stopped like the first one.
        watcher.look(&budget, 1700 * MIB);
        assert!(next.0.meter().is_cancelled());
    }

    #[test]
    fn no_session_is_stopped_without_a_cause() {
        let budget = MemoryBudget::new(MIB);
        let calls = Calls::within(&budget);
        let call = calls.begin("quick", u64::MAX).unwrap();
        Watcher::default().look(&budget, 1000 * MIB);
        assert!(!call.meter().is_cancelled());
    }

    #[test]
    fn the_system_is_read() {
        let text = "MemTotal:       16384 kB\nMemFree: 1 kB\n";
        assert_eq!(kilobytes(text, "MemTotal:"), Some(16 * MIB));
        assert_eq!(kilobytes(text, "Swap:"), None);
        if cfg!(target_os = "linux") {
            assert!(resident_memory().unwrap() > 0);
            assert!(machine_memory().unwrap() > 0);
        }
    }
}
