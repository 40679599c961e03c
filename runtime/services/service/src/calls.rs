//! The calls of a session: which ones run, since when, and whether more are taken.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::memory::{Account, MemoryBudget};
use crate::meter::CallMeter;

/// The calls of one session. Clones are of the same session.
#[derive(Debug, Clone)]
pub struct Calls(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    account: Arc<Account>,
    state: Mutex<State>,
    /// Told when a call has returned, when calls were stopped, and when the session ends.
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    ended: bool,
    /// Why calls were stopped that nobody cancelled.
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

/// How long the end of a session waits for calls that it cancelled.
pub const STOP_GRACE: Duration = Duration::from_secs(5);

/// A call was cancelled and goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool `{tool}` still ran {} s after it was cancelled, so its world cannot be captured safely",
    grace.as_secs_f64()
)]
pub struct StuckCall {
    /// The tool.
    pub tool: String,
    /// How long it was waited for.
    pub grace: Duration,
}

impl Default for Calls {
    /// The calls of a session of this process.
    fn default() -> Self {
        Self::within(&MemoryBudget::of_process())
    }
}

impl Calls {
    /// The calls of a session that holds memory of a budget.
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

    /// Ends the calls of the session: cancels those that run, lets no other begin, and waits until all have
    /// returned.
    ///
    /// # Errors
    ///
    /// When one has not returned after `grace`. It goes on, on a thread that is left behind.
    pub async fn end(&self, grace: Duration) -> Result<(), StuckCall> {
        self.refuse();
        let deadline = tokio::time::Instant::now() + grace;
        loop {
            // Registered before the state is looked at, so that no return is missed.
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

    /// Cancels the calls that run. Later ones are taken.
    pub fn cancel(&self) {
        for running in &self.lock().running {
            running.meter.cancel();
        }
    }

    /// Cancels the calls that run, since they harm others; `reason` is for whoever reads of it. Later ones are taken.
    pub(crate) fn stop(&self, reason: &str) {
        self.lock().stopped = Some(reason.to_owned());
        self.cancel();
        self.0.changed.notify_waiters();
    }

    /// Why calls were stopped that nobody cancelled.
    pub fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }

    /// Comes back with the reason when calls were stopped that nobody cancelled.
    pub async fn until_stopped(&self) -> String {
        self.until(|state| state.stopped.clone()).await
    }

    /// Comes back when the session takes no more calls.
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

    /// Sets what the world of the session holds in memory, in bytes.
    pub(crate) fn set_world(&self, bytes: u64) {
        self.0.account.set_world(bytes);
    }

    /// Sets what the client of the session keeps of its results, in bytes.
    ///
    /// # Errors
    ///
    /// The bytes that are left, where the memory of the process is not enough.
    pub fn hold(&self, bytes: u64) -> Result<(), u64> {
        self.0.account.set_held(bytes)
    }

    /// Cancels the calls that run and lets no other begin.
    fn refuse(&self) {
        self.lock().ended = true;
        self.cancel();
        self.0.changed.notify_waiters();
    }

    /// Enters a call; none where the session has ended.
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

    /// The call that has run the longest: its tool, and when it began.
    pub(crate) fn oldest(&self) -> Option<(String, Instant)> {
        let state = self.lock();
        let oldest = state.running.iter().min_by_key(|running| running.since)?;
        Some((oldest.tool.clone(), oldest.since))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code of others runs while it is held.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calls of a session that may be gone.
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

/// A call that runs, until this is dropped.
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

    /// Runs the tool on this thread.
    pub(crate) fn run<T>(&self, tool: impl FnOnce() -> T) -> T {
        self.meter.run(tool)
    }

    /// Sets what the world holds in memory after the call.
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
        // Once it has returned the session has ended after all.
        let ending = tokio::spawn({
            let calls = calls.clone();
            async move { calls.end(Duration::from_secs(60)).await }
        });
        tokio::task::yield_now().await;
        drop(stuck);
        ending.await.unwrap().unwrap();
    }
}
