//! Flow control for one connection.
//!
//! The protocol library spawns a task for each request that arrives, and one for each response. A client that sends
//! without reading could therefore exhaust the memory. So requests are not read while many are in progress, and calls
//! do not begin while earlier responses are unwritten.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::watch;

/// Maximum number of requests in progress or queued.
const MAX_REQUESTS: usize = 1024;
/// Maximum memory of these requests together, in bytes. A single request may exceed it.
const MAX_REQUEST_BYTES: u64 = 128 << 20;
/// Number of responses in progress or unwritten at which no further call begins.
const MAX_ANSWERS: usize = 4;
/// Number of unwritten responses at which no further request is read. It is higher, because responses to requests other
/// than calls are small.
const MAX_ANSWERS_TO_READ: usize = 256;

/// Maximum length of a request id, in bytes. A response repeats the id, so without the limit many small requests could
/// have large responses.
pub(crate) const LONGEST_ID: usize = 1024;

/// Load of a connection. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    load: Arc<watch::Sender<Load>>,
    /// Ids of requests without a response.
    unanswered: Arc<Mutex<HashSet<RequestId>>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Load {
    requests: usize,
    request_bytes: u64,
    answers: usize,
}

/// Permit of a request in progress. Dropping the last clone releases it.
#[derive(Debug, Clone)]
pub(crate) struct Admitted(Arc<Request>);

#[derive(Debug)]
struct Request {
    flow: Flow,
    bytes: u64,
}

/// Counter of a response that is not written yet. Dropping it marks the response as written.
#[derive(Debug)]
pub(crate) struct Unwritten(Flow);

impl Flow {
    pub(crate) fn new() -> Self {
        Self {
            load: Arc::new(watch::Sender::new(Load::default())),
            unanswered: Arc::default(),
        }
    }

    /// Registers the id of a request. Returns the problem if the id is in use or too long, because the protocol library
    /// expects distinct ids.
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

    /// Removes the id of a request that has a response or was cancelled.
    pub(crate) fn leave(&self, id: &RequestId) {
        self.unanswered().remove(id);
    }

    fn unanswered(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.unanswered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request of `bytes` bytes fits into the limits, and counts it. If the future is dropped, nothing is
    /// counted.
    pub(crate) async fn admit(&self, bytes: u64) -> Admitted {
        self.until(|load| {
            let fits = load.request_bytes.saturating_add(bytes) <= MAX_REQUEST_BYTES;
            load.requests < MAX_REQUESTS
                && (fits || load.requests == 0)
                && load.answers < MAX_ANSWERS_TO_READ
        })
        .await;
        self.load.send_modify(|load| {
            load.requests += 1;
            load.request_bytes = load.request_bytes.saturating_add(bytes);
        });
        let flow = self.clone();
        Admitted(Arc::new(Request { flow, bytes }))
    }

    /// Counts a response that is passed to the writer.
    pub(crate) fn answer(&self) -> Unwritten {
        self.load.send_modify(|load| load.answers += 1);
        Unwritten(self.clone())
    }

    async fn until(&self, is_so: impl FnMut(&Load) -> bool) {
        // The channel is never closed, because `self` has a sender.
        let _ = self.load.subscribe().wait_for(is_so).await;
    }
}

impl Admitted {
    /// Waits until the client has read enough responses for another call to begin, and counts the response of that
    /// call.
    pub(crate) async fn begin_answer(&self) -> Unwritten {
        let flow = &self.0.flow;
        flow.until(|load| load.answers < MAX_ANSWERS).await;
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
        let large = is_ready(flow.admit(10 * MAX_REQUEST_BYTES)).unwrap();
        assert!(is_ready(flow.admit(1)).is_none(), "there is no room");
        drop(large);
        let half = MAX_REQUEST_BYTES / 2;
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
        let mut all: Vec<_> = (0..MAX_REQUESTS)
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
        let mut answers: Vec<_> = (0..MAX_ANSWERS)
            .map(|_| is_ready(request.begin_answer()).unwrap())
            .collect();
        assert!(is_ready(request.begin_answer()).is_none());
        answers.pop();
        assert!(is_ready(request.begin_answer()).is_some());
        let _lists: Vec<_> = (0..MAX_ANSWERS_TO_READ).map(|_| flow.answer()).collect();
        assert!(is_ready(flow.admit(0)).is_none());
    }
}
