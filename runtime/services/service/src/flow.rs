//! Flow control of one connection.
//!
//! The protocol library starts a task for each request as it comes, and one for each answer. A client that sends
//! and never reads would fill the memory with both. So requests wait here to be read while many are being worked on,
//! and calls wait to begin while answers of others are still to be written.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::watch;

/// Requests that are worked on or wait for their turn.
const MOST_REQUESTS: usize = 1024;
/// The memory of these requests together, in bytes; a single one may have more.
const MOST_REQUEST_BYTES: u64 = 128 << 20;
/// Answers that are being made or wait to be written, beyond which no call begins.
const MOST_ANSWERS: usize = 4;
/// Answers that wait to be written, beyond which no request is read: those that are not calls have small ones.
const MOST_ANSWERS_TO_READ: usize = 256;

/// The longest id of a request, in bytes: an answer repeats it, and many small requests would have large answers.
pub(crate) const LONGEST_ID: usize = 1024;

/// The load of a connection. Clones are of the same connection.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    load: Arc<watch::Sender<Load>>,
    /// The ids of requests that are not answered.
    unanswered: Arc<Mutex<HashSet<RequestId>>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Load {
    requests: usize,
    request_bytes: u64,
    answers: usize,
}

/// A request that is worked on, until all clones are dropped.
#[derive(Debug, Clone)]
pub(crate) struct Admitted(Arc<Request>);

#[derive(Debug)]
struct Request {
    flow: Flow,
    bytes: u64,
}

/// An answer that is not written, until this is dropped.
#[derive(Debug)]
pub(crate) struct Unwritten(Flow);

impl Flow {
    pub(crate) fn new() -> Self {
        Self {
            load: Arc::new(watch::Sender::new(Load::default())),
            unanswered: Arc::default(),
        }
    }

    /// Enters the id of a request. Says why not, where it cannot be told from others or is too long: the library
    /// expects ids that differ.
    pub(crate) fn enter(&self, id: &RequestId) -> Result<(), String> {
        if matches!(id, RequestId::String(text) if text.len() > LONGEST_ID) {
            return Err(format!("the id has more than {LONGEST_ID} bytes"));
        }
        if self.unanswered().insert(id.clone()) {
            Ok(())
        } else {
            Err("a request with the same id has no answer yet".to_owned())
        }
    }

    /// Forgets the id of a request that is answered or given up.
    pub(crate) fn leave(&self, id: &RequestId) {
        self.unanswered().remove(id);
    }

    fn unanswered(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a request that takes so much memory, and counts it. Nothing is counted where this
    /// is dropped.
    pub(crate) async fn admit(&self, bytes: u64) -> Admitted {
        self.until(|load| {
            let fits = load.request_bytes.saturating_add(bytes) <= MOST_REQUEST_BYTES;
            load.requests < MOST_REQUESTS
                && (fits || load.requests == 0)
                && load.answers < MOST_ANSWERS_TO_READ
        })
        .await;
        self.load.send_modify(|load| {
            load.requests += 1;
            load.request_bytes = load.request_bytes.saturating_add(bytes);
        });
        let flow = self.clone();
        Admitted(Arc::new(Request { flow, bytes }))
    }

    /// Counts an answer that is handed over to be written.
    pub(crate) fn answer(&self) -> Unwritten {
        self.load.send_modify(|load| load.answers += 1);
        Unwritten(self.clone())
    }

    async fn until(&self, is_so: impl FnMut(&Load) -> bool) {
        // It cannot be closed: this is a sender of it.
        let _ = self.load.subscribe().wait_for(is_so).await;
    }
}

impl Admitted {
    /// Waits until the client has read enough of its answers for another call to begin, and counts the answer of that
    /// call.
    pub(crate) async fn begin_answer(&self) -> Unwritten {
        let flow = &self.0.flow;
        flow.until(|load| load.answers < MOST_ANSWERS).await;
        flow.answer()
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let bytes = self.bytes;
        self.flow.load.send_modify(|load| {
            load.requests -= 1;
            load.request_bytes = load.request_bytes.saturating_sub(bytes);
        });
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.0.load.send_modify(|load| load.answers -= 1);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_ready<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn requests_wait_for_the_memory_of_others() {
        let flow = Flow::new();
        let large = is_ready(flow.admit(10 * MOST_REQUEST_BYTES)).unwrap();
        assert!(is_ready(flow.admit(1)).is_none(), "there is no room");
        drop(large);
        let half = MOST_REQUEST_BYTES / 2;
        let first = is_ready(flow.admit(half)).unwrap();
        let _second = is_ready(flow.admit(half)).unwrap();
        assert!(is_ready(flow.admit(1)).is_none());
        drop(first.clone());
        assert!(is_ready(flow.admit(1)).is_none(), "a clone is left");
        drop(first);
        assert!(is_ready(flow.admit(1)).is_some());
    }

    #[test]
    fn requests_are_counted() {
        let flow = Flow::new();
        let mut all: Vec<_> = (0..MOST_REQUESTS)
            .map(|_| is_ready(flow.admit(0)).unwrap())
            .collect();
        assert!(is_ready(flow.admit(0)).is_none());
        all.pop();
        assert!(is_ready(flow.admit(0)).is_some());
    }

    #[test]
    fn calls_wait_for_answers_to_be_written() {
        let flow = Flow::new();
        let request = is_ready(flow.admit(0)).unwrap();
        let mut answers: Vec<_> = (0..MOST_ANSWERS)
            .map(|_| is_ready(request.begin_answer()).unwrap())
            .collect();
        assert!(is_ready(request.begin_answer()).is_none());
        answers.pop();
        assert!(is_ready(request.begin_answer()).is_some());
        let _lists: Vec<_> = (0..MOST_ANSWERS_TO_READ).map(|_| flow.answer()).collect();
        assert!(is_ready(flow.admit(0)).is_none());
    }
}
