//! Multiplexer for JSON-RPC requests of several clients on one stream.
//!
//! Each request gets an id that is unique on the stream, because clients may choose equal ids. Its response gets the id
//! of the client again.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::BoxedStream;

/// Capacity of the queue of messages to write.
const QUEUED: usize = 16;
/// Limit of unread responses in bytes, over all streams that share a [`Room`]. While it is reached, no response is
/// read, and so no further call begins.
const MAX_UNREAD_BYTES: usize = 16 * 1024 * 1024;

/// Memory budget for responses that clients have not read yet. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_UNREAD_BYTES)))
    }
}

impl Room {
    /// Waits until a response fits into the budget. A response larger than the whole budget takes all of it.
    async fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = bytes.min(MAX_UNREAD_BYTES) as u32;
        // The semaphore is never closed.
        Arc::clone(&self.0).acquire_many_owned(bytes).await.ok()
    }
}

/// Response with its share of the budget, which is released when the client has read the response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Value,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

/// Client end of a message stream. Dropping it closes the stream.
pub(crate) struct Exchange {
    out: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
    tasks: [JoinHandle<()>; 2],
}

/// Policy for a call whose client no longer waits for the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abandoned {
    /// The call is cancelled on the server.
    Cancelled,
    /// The call runs to completion.
    Finished,
}

/// Error of a stream that the server has closed.
#[derive(Debug)]
pub(crate) struct Gone;

#[derive(Default)]
struct Waiting(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    last: u64,
    has_ended: bool,
    by_number: HashMap<u64, Request>,
}

struct Request {
    /// Id that the client chose.
    id: Value,
    response: oneshot::Sender<Answer>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        // No foreign code runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange {
    /// Starts the tasks that read from and write to the stream.
    ///
    /// # Panics
    /// Panics if called outside a Tokio runtime.
    pub(crate) fn new(stream: BoxedStream, room: Room) -> Self {
        let (read, write) = tokio::io::split(stream);
        let (out, lines) = mpsc::channel(QUEUED);
        let waiting = Arc::default();
        let reading = tokio::spawn(read_all(read, Arc::clone(&waiting), room));
        let writing = tokio::spawn(write_all(write, lines));
        Self {
            out,
            waiting,
            tasks: [reading, writing],
        }
    }

    /// Sends a request and waits for its response, which may be a JSON-RPC error.
    pub(crate) async fn ask(
        &self,
        mut request: Value,
        abandoned: Abandoned,
    ) -> Result<Answer, Gone> {
        let (response, answered) = oneshot::channel();
        let number = {
            let mut requests = self.waiting.lock();
            if requests.has_ended {
                return Err(Gone);
            }
            requests.last += 1;
            let number = requests.last;
            let id = std::mem::replace(&mut request["id"], json!(number));
            requests.by_number.insert(number, Request { id, response });
            number
        };
        let mut sent = Sent {
            exchange: self,
            number,
            abandoned,
        };
        self.send(&request).await?;
        let answer = answered.await.map_err(|_| Gone);
        sent.abandoned = Abandoned::Finished;
        answer
    }

    /// Sends a notification or a response. In a cancellation, the id of the client is replaced by the id on the stream.
    pub(crate) async fn tell(&self, mut message: Value) -> Result<(), Gone> {
        if message["method"] == "notifications/cancelled" {
            let requests = self.waiting.lock();
            let id = &message["params"]["requestId"];
            let mut numbers = requests.by_number.iter();
            let Some((number, _)) = numbers.find(|(_, request)| request.id == *id) else {
                return Ok(());
            };
            message["params"]["requestId"] = json!(number);
        }
        self.send(&message).await
    }

    /// Closes the stream. Pending requests get no response, and their calls are cancelled.
    pub(crate) fn close(&self) {
        let numbers: Vec<u64> = {
            let mut requests = self.waiting.lock();
            requests.has_ended = true;
            requests
                .by_number
                .drain()
                .map(|(number, _)| number)
                .collect()
        };
        let out = self.out.clone();
        let reading = self.tasks[0].abort_handle();
        // In a separate task, because the queue may be full.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for number in numbers {
                    let _ = out.send(line(&cancelled(number))).await;
                }
                let _ = out.send(Vec::new()).await;
                reading.abort();
            });
        }
    }

    async fn send(&self, message: &Value) -> Result<(), Gone> {
        self.out.send(line(message)).await.map_err(|_| Gone)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// Pending request. Dropping it removes the request, and cancels it if the policy says so.
struct Sent<'a> {
    exchange: &'a Exchange,
    number: u64,
    abandoned: Abandoned,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        let is_open = self.exchange.waiting.lock().by_number.remove(&self.number);
        if is_open.is_some() && self.abandoned == Abandoned::Cancelled {
            let notice = cancelled(self.number);
            let out = self.exchange.out.clone();
            // In a separate task, because the queue may be full.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move {
                    let _ = out.send(line(&notice)).await;
                });
            }
        }
    }
}

/// Builds a cancellation of a request.
fn cancelled(number: u64) -> Value {
    let params = json!({"requestId": number, "reason": "the client has disconnected"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// Writes lines to the stream. An empty line ends the stream.
async fn write_all(mut to: WriteHalf<BoxedStream>, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await
        && !line.is_empty()
    {
        let written = async {
            to.write_all(&line).await?;
            to.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}

async fn read_all(from: ReadHalf<BoxedStream>, waiting: Arc<Waiting>, room: Room) {
    let mut from = BufReader::new(from);
    while let Ok(Some((message, bytes))) = next(&mut from).await {
        let room = room.take(bytes).await;
        // Servers of this library send only responses.
        let number = message.get("id").and_then(Value::as_u64);
        let request = number.and_then(|number| waiting.lock().by_number.remove(&number));
        if let Some(request) = request {
            let mut message = message;
            message["id"] = request.id;
            // Sending fails if the client no longer waits.
            let _ = request.response.send(Answer { message, room });
        }
    }
    let mut requests = waiting.lock();
    requests.has_ended = true;
    requests.by_number.clear();
}

/// Reads the next message and returns it with its length in bytes. Returns `None` at the end of the stream.
async fn next(from: &mut BufReader<ReadHalf<BoxedStream>>) -> io::Result<Option<(Value, usize)>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&line)?, line.len())))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Lets all other tasks of a single-threaded runtime progress as far as they can.
    async fn settle() {
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn responses_that_are_not_taken_are_bounded_over_all_streams() {
        const BYTES: usize = 1024 * 1024;
        const REQUESTS: usize = 64;
        // In addition to the responses that fit, each stream has one that waits for the budget and one that is being
        // written.
        const MAX_RESPONSES: usize = MAX_UNREAD_BYTES / BYTES + 2 * 2;
        let room = Room::default();
        let written = Arc::new(AtomicUsize::new(0));
        let connect = || {
            let (near, far) = tokio::io::duplex(4096);
            let written = Arc::clone(&written);
            tokio::spawn(async move {
                let (read, mut write) = tokio::io::split(far);
                let mut lines = BufReader::new(read).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    let request: Value = serde_json::from_str(&line).unwrap();
                    let response = json!({"id": request["id"], "result": "x".repeat(BYTES)});
                    let response = super::line(&response);
                    write.write_all(&response).await.unwrap();
                    written.fetch_add(1, Ordering::Relaxed);
                }
            });
            Arc::new(Exchange::new(Box::new(near), room.clone()))
        };
        let streams = [connect(), connect()];
        let (answered, mut answers) = mpsc::channel(REQUESTS);
        for number in 0..REQUESTS {
            let (stream, answered) = (Arc::clone(&streams[number % 2]), answered.clone());
            tokio::spawn(async move {
                let request = json!({"id": number, "method": "ping"});
                let answer = stream.ask(request, Abandoned::Finished).await.unwrap();
                answered.send(answer).await.unwrap();
            });
        }
        let mut taken = 0;
        while taken < REQUESTS {
            settle().await;
            let most = written.load(Ordering::Relaxed);
            assert!(
                most <= taken + MAX_RESPONSES,
                "{most} responses, {taken} taken"
            );
            assert!(answers.recv().await.is_some());
            taken += 1;
        }
    }
}
