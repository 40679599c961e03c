//! Cancellation and metering of memory for tool calls.
//!
//! The server gives each call a [`CallMeter`] and stores it in a thread-local variable while the tool runs, so that
//! code deep in the call stack needs no parameter for it. Such code calls [`checkpoint`] in loops over foreign sizes,
//! and [`reserve`] before it allocates memory in proportion to them. Outside a call, both always succeed.
//!
//! A tool must be able to stop at a checkpoint: place checkpoints before the first change to the world, or in code
//! whose changes are undone on failure.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::sync::Notify;

use crate::memory::Account;

/// Default limit of the memory that one call may hold, in bytes.
pub const DEFAULT_CALL_MEMORY: u64 = 1024 * 1024 * 1024;

/// Error of an interrupted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Interrupted {
    /// Cancellation by the client, the time limit of the call, memory pressure, or the end of the session.
    #[error("the call was cancelled")]
    Cancelled,
    /// Memory limit exceeded.
    #[error("the call needs more memory than the {limit} bytes that it may use")]
    Memory {
        /// Limit of the call, or the memory available to it within the budget of the process, in bytes.
        limit: u64,
    },
}

/// Memory meter and cancellation flag of one tool call. Clones share the state.
#[derive(Debug, Clone)]
pub struct CallMeter(Arc<State>);

#[derive(Debug)]
struct State {
    cancelled: Arc<AtomicBool>,
    /// Notified when the call is cancelled.
    changed: Notify,
    used: AtomicU64,
    limit: u64,
    /// Account of the session. `None` for a call outside a session.
    account: Option<Arc<Account>>,
}

thread_local! {
    static CURRENT: RefCell<Option<CallMeter>> = const { RefCell::new(None) };
}

impl CallMeter {
    /// Creates a meter for one call that may hold at most `limit` bytes at a time.
    pub fn new(limit: u64) -> Self {
        Self::with(limit, None)
    }

    /// Creates a meter whose reservations also count for a session.
    pub(crate) fn within(limit: u64, account: &Arc<Account>) -> Self {
        Self::with(limit, Some(Arc::clone(account)))
    }

    fn with(limit: u64, account: Option<Arc<Account>>) -> Self {
        Self(Arc::new(State {
            cancelled: Arc::default(),
            changed: Notify::new(),
            used: AtomicU64::new(0),
            limit,
            account,
        }))
    }

    /// Cancels the call, which stops at its next checkpoint.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }

    /// Reports whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the bytes that the call has reserved now.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Runs `work` with this meter as the current one of the thread for [`checkpoint`] and [`reserve`].
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Restore(Option<CallMeter>);
        impl Drop for Restore {
            fn drop(&mut self) {
                let before = self.0.take();
                CURRENT.with(|current| *current.borrow_mut() = before);
            }
        }
        let before = CURRENT.with(|current| current.borrow_mut().replace(self.clone()));
        let _restore = Restore(before);
        work()
    }

    /// Returns a guard that cancels the call when it is dropped. Cancelling a call that has returned has no effect.
    pub fn cancel_on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    fn reserve(&self, bytes: u64) -> Result<(), Interrupted> {
        if self.is_cancelled() {
            return Err(Interrupted::Cancelled);
        }
        let limit = self.0.limit;
        let within = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= limit);
        self.0
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .map_err(|_| Interrupted::Memory { limit })?;
        let Some(account) = &self.0.account else {
            return Ok(());
        };
        account.reserve(bytes).map_err(|left| {
            let used = self.0.used.fetch_sub(bytes, Ordering::Relaxed) - bytes;
            let limit = used.saturating_add(left);
            Interrupted::Memory { limit }
        })
    }

    fn give_back(&self, bytes: u64) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(account) = &self.0.account {
            account.give_back(bytes);
        }
    }
}

/// Guard that cancels a call when it is dropped.
#[derive(Debug)]
pub struct CancelOnDrop(CallMeter);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Memory reserved by a call. Dropping it releases the memory.
#[derive(Debug, Default)]
#[must_use = "dropping a reservation gives its bytes back"]
pub struct Reservation {
    meter: Option<CallMeter>,
    bytes: u64,
}

impl Reservation {
    /// Reserves `bytes` more bytes.
    pub fn grow(&mut self, bytes: u64) -> Result<(), Interrupted> {
        if let Some(meter) = &self.meter {
            meter.reserve(bytes)?;
            self.bytes += bytes;
        }
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(meter) = &self.meter {
            meter.give_back(self.bytes);
        }
    }
}

fn current() -> Option<CallMeter> {
    CURRENT.with(|current| current.borrow().clone())
}

/// Returns an error if the tool call on this thread was cancelled.
///
/// # Errors
/// Returns [`Interrupted::Cancelled`].
pub fn checkpoint() -> Result<(), Interrupted> {
    let cancelled = CURRENT.with(|current| {
        let current = current.borrow();
        current.as_ref().is_some_and(CallMeter::is_cancelled)
    });
    if cancelled {
        Err(Interrupted::Cancelled)
    } else {
        Ok(())
    }
}

/// Reserves memory for the tool call on this thread, until the reservation is dropped.
///
/// # Errors
/// Returns [`Interrupted::Memory`] if the call would exceed its limit, and [`Interrupted::Cancelled`] if it was
/// cancelled.
pub fn reserve(bytes: u64) -> Result<Reservation, Interrupted> {
    let mut reservation = Reservation {
        meter: current(),
        bytes: 0,
    };
    reservation.grow(bytes)?;
    Ok(reservation)
}

/// Returns the cancellation flag of the tool call on this thread, for libraries that take a flag.
pub fn cancel_flag() -> Arc<AtomicBool> {
    current().map_or_else(Arc::default, |meter| Arc::clone(&meter.0.cancelled))
}

/// Waits until the tool call on this thread is cancelled, for tools that wait for other events. Outside a call it never
/// completes.
pub fn cancelled() -> impl Future<Output = ()> {
    let meter = current();
    async move {
        let Some(meter) = meter else {
            return std::future::pending().await;
        };
        let changed = meter.0.changed.notified();
        tokio::pin!(changed);
        // Registered before the flag is checked, so that no cancellation is missed.
        changed.as_mut().enable();
        if !meter.is_cancelled() {
            changed.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_are_bounded_and_given_back() {
        let meter = CallMeter::new(100);
        meter.run(|| {
            let mut first = reserve(60).expect("60 of 100");
            assert_eq!(reserve(41).err(), Some(Interrupted::Memory { limit: 100 }));
            first.grow(40).expect("100 of 100");
            assert!(first.grow(u64::MAX).is_err());
            assert_eq!(meter.used(), 100);
            drop(first);
            assert_eq!(meter.used(), 0);
        });
        assert!(
            reserve(u64::MAX).is_ok(),
            "outside of a call nothing is bounded"
        );
    }

    #[test]
    fn a_cancelled_call_stops_at_its_next_checkpoint() {
        let meter = CallMeter::new(100);
        let guard = meter.cancel_on_drop();
        meter.run(|| {
            assert_eq!(checkpoint(), Ok(()));
            let flag = cancel_flag();
            drop(guard);
            assert_eq!(checkpoint(), Err(Interrupted::Cancelled));
            assert_eq!(reserve(1).err(), Some(Interrupted::Cancelled));
            assert!(flag.load(Ordering::Relaxed));
        });
        assert_eq!(checkpoint(), Ok(()));
    }

    #[test]
    fn calls_nest_and_leave_the_thread_as_it_was() {
        let (outer, inner) = (CallMeter::new(1), CallMeter::new(2));
        outer.run(|| {
            inner.cancel();
            inner.run(|| assert_eq!(checkpoint(), Err(Interrupted::Cancelled)));
            assert_eq!(checkpoint(), Ok(()));
        });
    }
}
