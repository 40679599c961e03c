//! Requests and responses on a stream of messages that several clients share.
//!
//! Every request gets an id of its own on the stream, so that clients may choose equal ids, and its response gets the
//! client's id back.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::BoxedStream;

/// Messages that wait to be written.
const QUEUED: usize = 16;

/// The client's end of a stream of messages. Dropping it closes the stream.
pub(crate) struct Exchange {
    out: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
    tasks: [JoinHandle<()>; 2],
}

/// What happens to a call whose client no longer waits for the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abandoned {
    /// The server is told to cancel it.
    Cancelled,
    /// It runs to its end.
    Finished,
}

/// The server has closed the stream.
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
    /// As the client wrote it.
    id: Value,
    response: oneshot::Sender<Value>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        // No code of others runs while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange {
    /// # Panics
    /// Outside a Tokio runtime.
    pub(crate) fn new(stream: BoxedStream) -> Self {
        let (read, write) = tokio::io::split(stream);
        let (out, lines) = mpsc::channel(QUEUED);
        let waiting = Arc::default();
        let reading = tokio::spawn(read_all(read, Arc::clone(&waiting)));
        let writing = tokio::spawn(write_all(write, lines));
        Self {
            out,
            waiting,
            tasks: [reading, writing],
        }
    }

    /// Sends a request and waits for its response, which may be an error.
    pub(crate) async fn ask(
        &self,
        mut request: Value,
        abandoned: Abandoned,
    ) -> Result<Value, Gone> {
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

    /// Sends a notification or a response. A notice that a request is cancelled is for the request of that client's id.
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

    /// Closes the stream: requests that wait for a response get none, and their calls are cancelled.
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
        // In a task of its own: the queue may be full.
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

/// A request that was sent, until its response is there or nobody waits for it.
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
            // In a task of its own: the queue may be full.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move {
                    let _ = out.send(line(&notice)).await;
                });
            }
        }
    }
}

/// The notice that nobody waits for the response to a request.
fn cancelled(number: u64) -> Value {
    let params = json!({"requestId": number, "reason": "the client has gone"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// Writes lines; an empty one ends the stream.
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

async fn read_all(from: ReadHalf<BoxedStream>, waiting: Arc<Waiting>) {
    let mut from = BufReader::new(from);
    while let Ok(Some(message)) = next(&mut from).await {
        // Servers of this library send responses and nothing else.
        let number = message.get("id").and_then(Value::as_u64);
        let request = number.and_then(|number| waiting.lock().by_number.remove(&number));
        if let Some(request) = request {
            let mut message = message;
            message["id"] = request.id;
            // Nobody may wait for it any more.
            let _ = request.response.send(message);
        }
    }
    let mut requests = waiting.lock();
    requests.has_ended = true;
    requests.by_number.clear();
}

/// The next message; none where the stream has ended.
async fn next(from: &mut BufReader<ReadHalf<BoxedStream>>) -> io::Result<Option<Value>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
