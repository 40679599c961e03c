//! Runtime for work that blocks a thread.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use tokio::runtime::{Builder, Handle, Runtime};

/// Runtime in the background, started on first use. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Background(Arc<Started>);

#[derive(Debug, Default)]
struct Started(Mutex<Option<Runtime>>);

impl Background {
    /// Runs work on a thread that may block, and waits for its result. Returns `None` if the work panicked or could not
    /// be started. The calling thread may belong to another runtime.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Handle) -> T + Send + 'static,
    ) -> Option<T> {
        let handle = self.handle()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let within = handle.clone();
        handle.spawn_blocking(move || {
            // The receiver waits for it.
            let _ = sender.send(work(&within));
        });
        receiver.recv().ok()
    }

    fn handle(&self) -> Option<Handle> {
        let mut runtime = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runtime.is_none() {
            let started = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("sql")
                .enable_all()
                .build();
            *runtime = started.ok();
        }
        runtime.as_ref().map(|runtime| runtime.handle().clone())
    }
}

impl Drop for Started {
    /// Ends the runtime without waiting, because a drop may happen on a thread of another runtime.
    fn drop(&mut self) {
        let runtime = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_runs_from_a_thread_of_another_runtime() {
        let background = Background::default();
        let answer = background.run(|runtime| runtime.block_on(async { 7 }));
        assert_eq!(answer, Some(7));
        let panicked: Option<()> = background.run(|_| panic!("expected"));
        assert_eq!(panicked, None);
        assert_eq!(background.run(|_| 8), Some(8));
    }
}
