//! Ordered parallel map: several threads work on a stream of items, and results come in the order of the items.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Cancel;

/// Bound on the pending and unfetched results per thread, if items take long.
const AHEAD: usize = 32;
/// Time for which the bound lasts if items are fast: as many results as a thread produces in it. On a busy machine the
/// consumer may wait this long for a core, and the threads would be idle meanwhile.
const AHEAD_FOR: Duration = Duration::from_millis(8);
/// Upper limit of the bound on pending and unfetched results per thread.
const MAX_AHEAD: usize = 2048;

/// Stack size of a thread, regardless of the environment (`RUST_MIN_STACK`): a guest uses up to 512 KiB.
const STACK_BYTES: usize = 2 << 20;

/// Sleep time of a consumer whose results arrive fast. A wake-up for each result would cost more than the result.
const NAP: Duration = Duration::from_micros(50);

/// Results in the order of their items, returned by [`in_order`].
///
/// Dropping it cancels the work in progress and waits for it to end. It does not wait for a thread that is blocked in
/// the source of items: that thread takes no further item and ends when the source returns.
pub struct InOrder<R> {
    shared: Arc<Shared<R>>,
    /// Results that come next. All available results are fetched at once, because taking the lock for each one would
    /// hinder the threads that produce them.
    ready: VecDeque<Result<R, Panicked>>,
    /// Time of the last fetch.
    last: Option<Instant>,
}

/// Error in place of a result if the work on an item, or the source, panicked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the host panicked: {0}")]
pub struct Panicked(pub String);

impl From<Box<dyn Any + Send>> for Panicked {
    fn from(panic: Box<dyn Any + Send>) -> Self {
        Self(payload(&*panic).to_owned())
    }
}

struct Shared<R> {
    cancel: Cancel,
    state: Mutex<State<R>>,
    /// Signals that a result has arrived or that a thread has ended.
    result_ready: Condvar,
    /// Signals that there is room for further results.
    room: Condvar,
}

struct State<R> {
    /// Slots from the oldest result that was not fetched to the most recently begun item.
    results: VecDeque<Option<Result<R, Panicked>>>,
    fetched: u64,
    /// Number of threads that were requested.
    wanted: usize,
    /// Moving average of the duration of an item.
    pace: Duration,
    /// Number of items in progress.
    working: usize,
    threads: usize,
    /// Number of threads that wait for room.
    blocked_workers: usize,
    /// True while the consumer waits for `news`.
    consumer_waits: bool,
}

/// Applies `work` to each of `items` on a bounded set of threads and yields the results in the order of the items. The
/// default of `threads` is the number of cores.
///
/// A thread takes an item only when it is free. The threads are at most a few dozen items each, or the items of a few
/// milliseconds, ahead of the next result, so that an endless stream needs constant memory. A result is available as
/// soon as it and all earlier ones are complete, even while the source blocks. A panic in `work` or in the source takes
/// the place of one result; after a panic in the source the stream ends. `cancel` ends the stream after the items that
/// were begun.
///
/// # Errors
///
/// Returns an error if not even one thread can be started.
pub fn in_order<I, R, W>(
    items: I,
    threads: Option<NonZeroUsize>,
    cancel: Cancel,
    work: W,
) -> io::Result<InOrder<R>>
where
    I: IntoIterator,
    I::IntoIter: Send + 'static,
    I::Item: 'static,
    R: Send + 'static,
    W: Fn(I::Item) -> R + Send + Sync + 'static,
{
    let threads = threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get);
    let shared = Arc::new(Shared {
        cancel,
        state: Mutex::new(State {
            results: VecDeque::new(),
            fetched: 0,
            wanted: threads,
            pace: AHEAD_FOR,
            working: 0,
            threads: 0,
            blocked_workers: 0,
            consumer_waits: false,
        }),
        result_ready: Condvar::new(),
        room: Condvar::new(),
    });
    let source = Arc::new(Mutex::new(Some(items.into_iter())));
    let work = Arc::new(work);
    for number in 0..threads {
        let worker = Worker::enlist(&shared);
        let (source, work) = (Arc::clone(&source), Arc::clone(&work));
        let started = thread::Builder::new()
            .name(format!("mcpmark-work-{number}"))
            .stack_size(STACK_BYTES)
            .spawn(move || worker.serve(&source, &*work));
        match started {
            Err(error) if number == 0 => return Err(error),
            // Fewer threads are enough.
            Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(InOrder {
        shared,
        ready: VecDeque::new(),
        last: None,
    })
}

impl<R> State<R> {
    /// Returns the maximum number of results that may be pending or unfetched.
    fn most(&self) -> usize {
        let pace = self.pace.as_nanos().max(1);
        let small = usize::try_from(AHEAD_FOR.as_nanos() / pace).unwrap_or(MAX_AHEAD);
        self.wanted.saturating_mul(small.clamp(AHEAD, MAX_AHEAD))
    }
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for another result. Returns false if the stream was cancelled.
    fn wait_for_room(&self) -> bool {
        let mut state = self.lock();
        while state.results.len() >= state.most() && !self.cancel.is_cancelled() {
            state.blocked_workers += 1;
            state = wait(&self.room, state);
            state.blocked_workers -= 1;
        }
        !self.cancel.is_cancelled()
    }

    /// Reserves a slot for the result of an item and returns its number, or `None` if the stream was cancelled.
    fn begin(&self) -> Option<u64> {
        let mut state = self.lock();
        if self.cancel.is_cancelled() {
            return None;
        }
        state.working += 1;
        state.results.push_back(None);
        Some(state.fetched + state.results.len() as u64 - 1)
    }

    /// Moves results to `ready`, up to the first one that is missing.
    fn fetch(&self, state: &mut State<R>, ready: &mut VecDeque<Result<R, Panicked>>) {
        while let Some(result) = state.results.front_mut().and_then(Option::take) {
            state.results.pop_front();
            state.fetched += 1;
            ready.push_back(result);
        }
        // Threads are not woken for each free slot: several that wake together work longer before they wait again.
        if state.blocked_workers > 0 && state.results.len() <= state.most() / 2 {
            self.room.notify_all();
        }
    }

    fn finish(&self, number: u64, result: Result<R, Panicked>, took: Duration) {
        let mut state = self.lock();
        state.pace = (state.pace * 15 + took) / 16;
        let place = usize::try_from(number - state.fetched).unwrap_or(usize::MAX);
        if let Some(place) = state.results.get_mut(place) {
            *place = Some(result);
        }
        state.working -= 1;
        if state.consumer_waits && (place == 0 || state.working == 0) {
            state.consumer_waits = false;
            self.result_ready.notify_all();
        }
    }
}

/// A worker thread, counted in `State::threads` while it may produce results.
struct Worker<R>(Arc<Shared<R>>);

impl<R> Worker<R> {
    fn enlist(shared: &Arc<Shared<R>>) -> Self {
        shared.lock().threads += 1;
        Self(Arc::clone(shared))
    }

    fn serve<I: Iterator>(self, source: &Mutex<Option<I>>, work: &impl Fn(I::Item) -> R) {
        while let Some((number, item)) = self.take(source) {
            let begun = Instant::now();
            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
            let result = result.map_err(Panicked::from);
            self.0.finish(number, result, begun.elapsed());
        }
    }

    /// Takes the next item, while the other threads wait. A source that has ended or panicked is not polled again.
    fn take<I: Iterator>(&self, source: &Mutex<Option<I>>) -> Option<(u64, I::Item)> {
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        if source.is_none() || !self.0.wait_for_room() {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| source.as_mut()?.next())) {
            Ok(Some(item)) => Some((self.0.begin()?, item)),
            Ok(None) => {
                *source = None;
                None
            }
            Err(panic) => {
                *source = None;
                let number = self.0.begin()?;
                self.0.finish(number, Err(panic.into()), AHEAD_FOR);
                None
            }
        }
    }
}

impl<R> Drop for Worker<R> {
    fn drop(&mut self) {
        self.0.lock().threads -= 1;
        self.0.result_ready.notify_all();
    }
}

impl<R> InOrder<R> {
    /// Returns the next result if it is available without waiting.
    pub fn try_next(&mut self) -> Option<Result<R, Panicked>> {
        if self.ready.is_empty() {
            self.shared.fetch(&mut self.shared.lock(), &mut self.ready);
            if !self.ready.is_empty() {
                self.last = Some(Instant::now());
            }
        }
        self.ready.pop_front()
    }
}

impl<R> Iterator for InOrder<R> {
    type Item = Result<R, Panicked>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(result) = self.ready.pop_front() {
            return Some(result);
        }
        let mut fast = self.last.is_some_and(|last| last.elapsed() < NAP);
        let mut state = self.shared.lock();
        loop {
            self.shared.fetch(&mut state, &mut self.ready);
            if let Some(result) = self.ready.pop_front() {
                drop(state);
                self.last = Some(Instant::now());
                return Some(result);
            }
            if state.threads == 0 {
                return None;
            }
            if std::mem::take(&mut fast) {
                drop(state);
                thread::sleep(NAP);
                state = self.shared.lock();
            } else {
                state.consumer_waits = true;
                state = wait(&self.shared.result_ready, state);
            }
        }
    }
}

impl<R> Drop for InOrder<R> {
    fn drop(&mut self) {
        self.shared.cancel.cancel();
        let mut state = self.shared.lock();
        self.shared.room.notify_all();
        while state.working > 0 {
            state.consumer_waits = true;
            state = wait(&self.shared.result_ready, state);
        }
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

/// Returns the message of a panic.
pub(crate) fn payload(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
