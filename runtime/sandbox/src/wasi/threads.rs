//! Threads with stacks that are deep enough for an interpreter, kept from one script to the next:
//! to map such a stack and to give it back makes all others in the process wait.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::STACK_BYTES;

/// The guest's stack, and the host's own.
const THREAD_BYTES: usize = STACK_BYTES + (8 << 20);
/// Threads that are kept while they have nothing to do.
const KEPT: usize = 8;

type Work = Box<dyn FnOnce() + Send>;

/// Those that have nothing to do, by the ends through which they get work. They end with this.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<Sender<Work>>>);

impl Threads {
    /// Runs `work` on one of them, or on a new one where all are busy, and waits for it. The inner
    /// error is what it panicked with.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Result<T, Box<dyn Any + Send>>> {
        let (answer, answered) = channel();
        let work: Work = Box::new(move || {
            // Who asked waits until there is an answer.
            let _ = answer.send(catch_unwind(AssertUnwindSafe(work)));
        });
        let idle = self.idle().pop();
        let thread = match idle {
            Some(thread) => thread,
            None => start()?,
        };
        // It waits for work for as long as this end is held.
        let sent = thread.send(work);
        let ran = sent.ok().and_then(|()| answered.recv().ok());
        let ran = ran.ok_or_else(|| io::Error::other("the thread ended too early"))?;
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
