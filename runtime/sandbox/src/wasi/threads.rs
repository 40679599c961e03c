//! Pool of threads with stacks that are deep enough for an interpreter. Threads are reused for later scripts, because
//! mapping and unmapping such a stack makes all other threads of the process wait.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::STACK_BYTES;

/// Stack size of a thread, in bytes: the stack of the guest, and 8 MiB for the host.
const THREAD_BYTES: usize = STACK_BYTES + (8 << 20);
/// Maximum number of idle threads that are kept.
const KEPT: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Idle threads, as the senders of their work. The threads end when this value is dropped.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<Sender<Work>>>);

impl Threads {
    /// Runs `work` on an idle thread, or on a new one if there is none, and waits for it. The inner error is the
    /// payload of a panic.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot start a thread.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Result<T, Box<dyn Any + Send>>> {
        let (answer, answered) = channel();
        let work: Work = Box::new(move || {
            // The caller waits until there is an answer.
            let _ = answer.send(catch_unwind(AssertUnwindSafe(work)));
        });
        let idle = self.idle().pop();
        let thread = match idle {
            Some(thread) => thread,
            None => start()?,
        };
        // The thread waits for work until its sender is dropped.
        let sent = thread.send(work);
        let ran = sent.ok().and_then(|()| answered.recv().ok());
        let ran =
            ran.ok_or_else(|| io::Error::other("the thread ended before it returned a result"))?;
        let mut idle = self.idle();
        if idle.len() < KEPT {
            idle.push(thread);
        }
        Ok(ran)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Sender<Work>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start() -> io::Result<Sender<Work>> {
    let (sender, receiver) = channel::<Work>();
    std::thread::Builder::new()
        .name("mcpmark-script".into())
        .stack_size(THREAD_BYTES)
        .spawn(move || receiver.into_iter().for_each(|work| work()))?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread::{ThreadId, current, scope};

    use super::*;

    #[test]
    fn threads_are_kept_and_those_beyond_are_not() {
        let threads = Threads::default();
        let on = || -> ThreadId { threads.run(|| current().id()).unwrap().unwrap() };
        let first = on();
        assert_eq!(on(), first);

        let panicked = threads.run(|| panic!("as it happens")).unwrap();
        assert!(panicked.is_err_and(|what| what.is::<&str>()));
        assert_eq!(on(), first, "a panic ends no thread");

        let all = std::sync::Arc::new(Barrier::new(KEPT + 2));
        scope(|scope| {
            for _ in 0..KEPT + 2 {
                let all = std::sync::Arc::clone(&all);
                scope.spawn(|| threads.run(move || all.wait()).unwrap().unwrap());
            }
        });
        assert_eq!(threads.idle().len(), KEPT);
    }
}
