//! Registry of the running tool calls of a session, with cancellation and shutdown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::memory::{Account, MemoryBudget};
use crate::meter::CallMeter;

/// Tool calls of one session. Clones share the state.
#[derive(Debug, Clone)]
pub struct Calls(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    account: Arc<Account>,
    state: Mutex<State>,
    /// Notified when a call returns, when calls are stopped, and when the session ends.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    ended: bool,
    /// Reason why calls were stopped because of their memory use, if they were.
    stopped: Option<String>,
    running: Vec<Running>,
    number: u64,
}

#[derive(Debug)]
struct Running {
    number: u64,
    tool: String,
    since: Instant,
    meter: CallMeter,
}

/// Time that the end of a session waits for cancelled calls.
pub const STOP_GRACE: Duration = Duration::from_secs(5);

/// Error of a call that continues after its cancellation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool `{tool}` still ran {} s after it was cancelled, so its world cannot be captured safely",
    grace.as_secs_f64()
)]
pub struct StuckCall {
    /// Name of the tool.
    pub tool: String,
    /// Time that was waited for the call after its cancellation.
    pub grace: Duration,
}

impl Default for Calls {
    /// Creates the registry for a session that uses the memory budget of this process.
    fn default() -> Self {
        Self::within(&MemoryBudget::of_process())
    }
}

impl Calls {
    /// Creates the registry for a session that uses the given memory budget.
    pub fn within(budget: &MemoryBudget) -> Self {
        let calls = Self(Arc::new(Shared {
            account: Arc::new(Account::of(budget)),
            state: Mutex::default(),
            changed: Notify::new(),
        }));
        budget.enter(WeakCalls(Arc::downgrade(&calls.0)));
        calls
    }

    pub(crate) fn account(&self) -> &Account {
        &self.0.account
    }

    /// Ends the calls of the session: cancels the running calls, refuses new ones, and waits until all have returned.
    ///
    /// # Errors
    ///
    /// Returns [`StuckCall`] if a call has not returned after `grace`. Its thread is abandoned and continues.
    pub async fn end(&self, grace: Duration) -> Result<(), StuckCall> {
        self.refuse();
        let deadline = tokio::time::Instant::now() + grace;
        loop {
            // Registered before the state is checked, so that no return is missed.
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.oldest().is_none() {
                return Ok(());
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return match self.oldest() {
                    Some((tool, _)) => Err(StuckCall { tool, grace }),
                    None => Ok(()),
                };
            }
        }
    }

    /// Cancels the running calls. Later calls are accepted.
    pub fn cancel(&self) {
        for running in &self.lock().running {
            running.meter.cancel();
        }
    }

    /// Stops the running calls because they harm other sessions. `reason` is reported to the caller. Later calls are
    /// accepted.
    pub(crate) fn stop(&self, reason: &str) {
        self.lock().stopped = Some(reason.to_owned());
        self.cancel();
        self.0.changed.notify_waiters();
    }

    /// Returns the reason why calls were stopped because of memory use, if they were.
    pub fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }

    /// Waits until calls are stopped because of memory use, and returns the reason.
    pub async fn until_stopped(&self) -> String {
        self.until(|state| state.stopped.clone()).await
    }

    /// Waits until the session has ended and accepts no more calls.
    pub async fn until_ended(&self) {
        self.until(|state| state.ended.then_some(())).await;
    }

    async fn until<T>(&self, is_so: impl Fn(&State) -> Option<T>) -> T {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(value) = is_so(&self.lock()) {
                return value;
            }
            changed.await;
        }
    }

    /// Sets the memory that the world of the session occupies, in bytes.
    pub(crate) fn set_world(&self, bytes: u64) {
        self.0.account.set_world(bytes);
    }

    /// Sets the memory that the client of the session retains for results, in bytes.
    ///
    /// # Errors
    ///
    /// Returns the number of available bytes if the memory budget of the process is exceeded.
    pub fn hold(&self, bytes: u64) -> Result<(), u64> {
        self.0.account.set_held(bytes)
    }

    /// Cancels the running calls and refuses new ones.
    fn refuse(&self) {
        self.lock().ended = true;
        self.cancel();
        self.0.changed.notify_waiters();
    }

    /// Registers a call. Returns `None` if the session has ended.
    pub(crate) fn begin(&self, tool: &str, memory: u64) -> Option<Call> {
        let mut state = self.lock();
        if state.ended {
            return None;
        }
        state.number += 1;
        let meter = CallMeter::within(memory, &self.0.account);
        let number = state.number;
        state.running.push(Running {
            number,
            tool: tool.to_owned(),
            since: Instant::now(),
            meter: meter.clone(),
        });
        Some(Call {
            calls: self.clone(),
            number,
            meter,
        })
    }

    /// Returns the tool and the start time of the call that has run the longest.
    pub(crate) fn oldest(&self) -> Option<(String, Instant)> {
        let state = self.lock();
        let oldest = state.running.iter().min_by_key(|running| running.since)?;
        Some((oldest.tool.clone(), oldest.since))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No foreign code runs while the lock is held, so a poisoned lock still has a valid state.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Weak reference to the calls of a session.
#[derive(Debug)]
pub(crate) struct WeakCalls(Weak<Shared>);

impl WeakCalls {
    pub(crate) fn get(&self) -> Option<Calls> {
        self.0.upgrade().map(Calls)
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// Running call. Dropping it marks the call as returned.
#[derive(Debug)]
pub(crate) struct Call {
    calls: Calls,
    number: u64,
    meter: CallMeter,
}

impl Call {
    pub(crate) fn meter(&self) -> &CallMeter {
        &self.meter
    }

    /// Runs the tool on this thread with the meter of the call.
    pub(crate) fn run<T>(&self, tool: impl FnOnce() -> T) -> T {
        self.meter.run(tool)
    }

    /// Sets the memory that the world occupies after the call, in bytes.
    pub(crate) fn set_world(&self, bytes: u64) {
        self.calls.set_world(bytes);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.calls.lock();
        let number = self.number;
        state.running.retain(|running| running.number != number);
        drop(state);
        self.calls.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn an_ended_session_takes_no_call() {
        let calls = Calls::default();
        let call = calls.begin("one", 1).unwrap();
        calls.cancel();
        assert!(call.meter().is_cancelled());
        assert!(calls.begin("two", 1).is_some(), "the session goes on");
        drop(call);
        calls.end(SOON).await.unwrap();
        calls.until_ended().await;
        assert!(calls.begin("three", 1).is_none());
    }

    #[tokio::test]
    async fn a_call_that_does_not_return_is_named() {
        let calls = Calls::default();
        let stuck = calls.begin("stuck", 1).unwrap();
        let error = calls.end(SOON).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the tool `stuck` still ran 0.02 s after it was cancelled, so its world cannot be captured safely"
        );
        // After the call has returned, the session can end.
        let ending = tokio::spawn({
            let calls = calls.clone();
            async move { calls.end(Duration::from_secs(60)).await }
        });
        tokio::task::yield_now().await;
        drop(stuck);
        ending.await.unwrap().unwrap();
    }
}
