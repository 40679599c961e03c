//! Work on a stream of items with several threads, with the results in the order of the items.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Cancel;

/// Items that may be ahead of those that were fetched, for each thread.
const AHEAD: usize = 32;
/// More may be where items are small: as many as take a thread so long. Whoever fetches results may
/// have to wait for a core that long on a busy machine, and the threads would stand still meanwhile.
const AHEAD_FOR: Duration = Duration::from_millis(8);
/// But never more than so many for each thread.
const MOST_AHEAD: usize = 2048;

/// The stack of a thread, whatever the environment asks for: a guest uses up to 512 KiB of it.
const STACK_BYTES: usize = 2 << 20;

/// How long the consumer of results that come fast sleeps: being woken for each of
/// them would cost more than making them.
const NAP: Duration = Duration::from_micros(50);

/// Results in the order of their items; made by [`in_order`].
///
/// Dropping it cancels what is at work and waits for that. A thread that is inside the
/// source of items is not waited for: it takes nothing more and ends when that returns.
pub struct InOrder<R> {
    shared: Arc<Shared<R>>,
    /// Results that are next. All that are there are fetched at once: a lock for each would
    /// hinder the threads that bring them.
    ready: VecDeque<Result<R, Panicked>>,
    /// When results were fetched last.
    last: Option<Instant>,
}

/// What stands in the place of a result when the work on an item panicked.
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
    /// A result is there, or a thread came to its end.
    news: Condvar,
    /// There is room for further results.
    room: Condvar,
}

struct State<R> {
    /// From the oldest that was not fetched to the youngest that was begun.
    results: VecDeque<Option<Result<R, Panicked>>>,
    fetched: u64,
    /// How many threads there were at first.
    wanted: usize,
    /// About how long the work on an item takes lately.
    pace: Duration,
    /// Items that are worked on.
    working: usize,
    threads: usize,
    /// Threads that wait for room.
    crowded: usize,
    /// Whether the consumer waits for news.
    awaited: bool,
}

/// Applies `work` to each of `items` on a bounded set of threads (one for each core,
/// unless `threads` says otherwise), and yields the results in the order of the items.
///
/// Items are taken when there is a thread for them, and no more than a few dozen for each
/// thread, or what it does in a few milliseconds, ahead of the result that comes next, so an
/// endless stream needs constant memory.
/// A result is there as soon as it and those before it are, also while the source blocks.
/// A panic, in `work` or in the source, takes the place of one result; one in the
/// source is the last. `cancel` ends the stream: items that were begun come to their end.
///
/// # Errors
///
/// When not even one thread can be started.
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
            crowded: 0,
            awaited: false,
        }),
        news: Condvar::new(),
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
            // Fewer do it as well.
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
    /// How many results may be there or under way.
    fn most(&self) -> usize {
        let pace = self.pace.as_nanos().max(1);
        let small = usize::try_from(AHEAD_FOR.as_nanos() / pace).unwrap_or(MOST_AHEAD);
        self.wanted.saturating_mul(small.clamp(AHEAD, MOST_AHEAD))
    }
}

impl<R> Shared<R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a further result has room. False when there is to be none.
    fn wait_for_room(&self) -> bool {
        let mut state = self.lock();
        while state.results.len() >= state.most() && !self.cancel.is_cancelled() {
            state.crowded += 1;
            state = wait(&self.room, state);
            state.crowded -= 1;
        }
        !self.cancel.is_cancelled()
    }

    /// Makes a place for the result of an item; none when it is too late to begin.
    fn begin(&self) -> Option<u64> {
        let mut state = self.lock();
        if self.cancel.is_cancelled() {
            return None;
        }
        state.working += 1;
        state.results.push_back(None);
        Some(state.fetched + state.results.len() as u64 - 1)
    }

    /// Takes the results that are there, as far as none before them is missing.
    fn fetch(&self, state: &mut State<R>, ready: &mut VecDeque<Result<R, Panicked>>) {
        while let Some(result) = state.results.front_mut().and_then(Option::take) {
            state.results.pop_front();
            state.fetched += 1;
            ready.push_back(result);
        }
        // Not for each place that is free: threads that are woken together work longer.
        if state.crowded > 0 && state.results.len() <= state.most() / 2 {
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
        if state.awaited && (place == 0 || state.working == 0) {
            state.awaited = false;
            self.news.notify_all();
        }
    }
}

/// One thread, counted for as long as it may bring results.
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

    /// The next item; the others wait meanwhile. A source that came to its end, in one
    /// way or another, is not asked again.
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
        self.0.news.notify_all();
    }
}

impl<R> InOrder<R> {
    /// The next result, if it is there without waiting.
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
                state.awaited = true;
                state = wait(&self.shared.news, state);
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
            state.awaited = true;
            state = wait(&self.shared.news, state);
        }
    }
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

/// What a panic says.
pub(crate) fn payload(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}
