//! Line transport of an MCP server: one message per line, with an error response to each malformed line.
//!
//! The protocol library drops messages that it cannot read, so the client would wait forever. Here each malformed line
//! gets a JSON-RPC error, with the id of its request if the id can be determined, and reading continues with the next
//! line.

use std::future::Future;
use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, GetExtensions, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::BoxedStream;
use crate::flow::{Flow, LONGEST_ID, Unwritten};
use crate::outline::Outline;
use crate::surrogates::SurrogateRepair;
use crate::values::{MAX_JSON_VALUES, VALUE_BYTES, json_values};

/// Capacity of the queue of messages to write.
const QUEUED: usize = 16;
/// Timeout for closing a connection whose client does not read.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Capacity of the line buffer that is kept for the next line, in bytes.
const KEPT: usize = 1 << 20;

/// Message stream of a server, split into lines.
pub(crate) struct Lines {
    read: BufReader<SurrogateRepair<ReadHalf<BoxedStream>>>,
    limit: usize,
    /// Bytes of the current line.
    line: Vec<u8>,
    /// Outline of the current line, if it is longer than the limit.
    too_long: Option<Outline>,
    /// Error response that waits for space in the queue.
    owed: Option<Vec<u8>>,
    /// Message that waits for admission, with its memory in bytes.
    parked: Option<(Box<RxJsonRpcMessage<RoleServer>>, u64)>,
    flow: Flow,
    out: Option<mpsc::Sender<Outgoing>>,
    /// Task that writes to the stream. `None` once the stream is closed.
    writer: Option<JoinHandle<()>>,
}

/// Line to write, with its counter among the unwritten responses.
type Outgoing = (Vec<u8>, Unwritten);

impl Lines {
    /// Creates a transport for messages of at most `limit` bytes.
    ///
    /// # Panics
    /// Panics if called outside a Tokio runtime.
    pub(crate) fn new(io: BoxedStream, limit: usize) -> Self {
        let (read, write) = tokio::io::split(io);
        let (out, lines) = mpsc::channel(QUEUED);
        Self {
            read: BufReader::new(SurrogateRepair::new(read)),
            limit,
            line: Vec::new(),
            too_long: None,
            owed: None,
            parked: None,
            flow: Flow::new(),
            out: Some(out),
            writer: Some(tokio::spawn(write_all(write, lines))),
        }
    }

    /// Reads up to the end of the line. Returns true at the end of the stream. Cancel safe: no bytes are lost if the
    /// future is dropped.
    async fn fill(&mut self) -> io::Result<bool> {
        loop {
            let piece = self.read.fill_buf().await?;
            if piece.is_empty() {
                return Ok(true);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let content = &piece[..end.unwrap_or(piece.len())];
            match &mut self.too_long {
                Some(outline) => outline.read(content),
                None if self.line.len() + content.len() > self.limit => {
                    let mut outline = Outline::of(&self.line);
                    outline.read(content);
                    self.too_long = Some(outline);
                    self.line = Vec::new();
                }
                None => self.line.extend_from_slice(content),
            }
            let read = content.len() + usize::from(end.is_some());
            self.read.consume(read);
            if end.is_some() {
                return Ok(false);
            }
        }
    }

    /// Parses the line that was read, and clears the buffer.
    fn judge(&mut self) -> Received {
        let received = match self.too_long.take() {
            Some(outline) => {
                let limit = self.limit;
                let problem = format!("the message has more than {limit} bytes");
                refusal(&outline, ErrorCode::PARSE_ERROR, &problem)
            }
            None => received(&self.line),
        };
        self.line.clear();
        self.line.shrink_to(KEPT);
        received
    }
}

/// Parsed line.
#[derive(Debug)]
pub(crate) enum Received {
    /// Message with its memory in bytes.
    Message(Box<RxJsonRpcMessage<RoleServer>>, u64),
    /// Malformed line, with the error response to it.
    Refused(Vec<u8>),
    /// Line to which no response is expected, such as an empty one.
    Nothing,
}

/// Parses a line, or the body of an HTTP request.
pub(crate) fn received(line: &[u8]) -> Received {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Received::Nothing;
    }
    let values = json_values(line);
    if values > MAX_JSON_VALUES {
        let problem =
            format!("the message has {values} JSON values, and may have {MAX_JSON_VALUES}");
        return refusal(&Outline::of(line), ErrorCode::INVALID_REQUEST, &problem);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) if is_list(&message) && !has_cursor_of_text(line) => {
            let problem = "the cursor is not a string";
            return refusal(&Outline::of(line), ErrorCode::INVALID_PARAMS, problem);
        }
        Ok(message) => {
            let memory = line.len() as u64 + values * VALUE_BYTES;
            return Received::Message(Box::new(message), memory);
        }
        Err(error) => error,
    };
    let outline = Outline::of(line);
    if error.is_data() {
        let problem = "not a JSON-RPC 2.0 request, or its params have the wrong type";
        refusal(&outline, ErrorCode::INVALID_REQUEST, problem)
    } else {
        refusal(&outline, ErrorCode::PARSE_ERROR, &error.to_string())
    }
}

fn is_list(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    matches!(request.request, ClientRequest::ListToolsRequest(_))
}

/// Reports whether the cursor of a list request is a string or absent. The protocol library treats any other value as
/// absent.
fn has_cursor_of_text(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Request {
        params: Option<Params>,
    }
    #[derive(Deserialize)]
    struct Params {
        cursor: Option<String>,
    }
    let read: Result<Request, _> = serde_json::from_slice(line);
    read.is_ok_and(|request| {
        // Deserialised only to check its type.
        let _ = request.params.and_then(|params| params.cursor);
        true
    })
}

fn refusal(outline: &Outline, code: ErrorCode, problem: &str) -> Received {
    if outline.is_one_way() {
        return Received::Nothing;
    }
    let kind = match code {
        ErrorCode::PARSE_ERROR => "Parse error",
        ErrorCode::INVALID_PARAMS => "Invalid params",
        _ => "Invalid Request",
    };
    Received::Refused(error_line(
        outline.id(),
        code,
        &format!("{kind}: {problem}"),
    ))
}

/// Returns the id of the request that a server's message responds to, without parsing the message.
pub fn response_id(message: &[u8]) -> Option<RequestId> {
    let outline = Outline::of(message);
    outline.id().filter(|_| outline.has_answer())
}

/// Returns a server's message if it has at most [`MAX_JSON_VALUES`] values. A larger response becomes a JSON-RPC error;
/// any other larger message is dropped.
pub fn bounded_message(message: String) -> Option<String> {
    let values = json_values(message.as_bytes());
    if values <= MAX_JSON_VALUES {
        return Some(message);
    }
    let line = too_many_values(&Outline::of(message.as_bytes()), values, MAX_JSON_VALUES)?;
    String::from_utf8(line).ok()
}

/// Builds the error that replaces a response with too many values. Returns `None` if the message is not a response.
pub(crate) fn too_many_values(outline: &Outline, values: u64, most: u64) -> Option<Vec<u8>> {
    let id = outline.id().filter(|_| outline.has_answer())?;
    let problem = format!("the response has {values} JSON values, and may have {most}");
    Some(error_line(Some(id), ErrorCode::INTERNAL_ERROR, &problem))
}

fn is_short(id: &RequestId) -> bool {
    !matches!(id, RequestId::String(text) if text.len() > LONGEST_ID)
}

/// Builds an error response. An unknown id is written as null, as JSON-RPC requires, while the protocol library omits
/// it.
fn error_line(id: Option<RequestId>, code: ErrorCode, message: &str) -> Vec<u8> {
    let error = json!({"code": code.0, "message": message});
    let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
    format!("{answer}\n").into_bytes()
}

async fn write_all(mut to: WriteHalf<BoxedStream>, mut lines: mpsc::Receiver<Outgoing>) {
    while let Some((line, _unwritten)) = lines.recv().await {
        // If the peer no longer reads, closing the queue makes further sends fail.
        if write(&mut to, &line).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

async fn write(to: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> io::Result<()> {
    to.write_all(line).await?;
    to.flush().await
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection is closed")
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        let unwritten = self.flow.answer();
        match &item {
            JsonRpcMessage::Response(response) => self.flow.leave(&response.id),
            JsonRpcMessage::Error(error) if let Some(id) = &error.id => self.flow.leave(id),
            _ => {}
        }
        async move {
            let mut line = serde_json::to_vec(&item)?;
            drop(item);
            line.push(b'\n');
            let out = out.ok_or_else(closed)?;
            out.send((line, unwritten)).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.owed.is_some() {
                // No await between the permit and the message, because this future may be dropped at any await.
                let place = self.out.as_ref()?.reserve().await.ok()?;
                place.send((self.owed.take().unwrap_or_default(), self.flow.answer()));
            }
            if let Some((_, memory)) = &self.parked {
                // The message stays in `parked` if this future is dropped while it waits.
                let admitted = self.flow.admit(*memory).await;
                let (mut message, _) = self.parked.take()?;
                if let JsonRpcMessage::Request(request) = &mut *message {
                    request.request.extensions_mut().insert(admitted);
                }
                return Some(*message);
            }
            let has_ended = self.fill().await.ok()?;
            match self.judge() {
                Received::Message(message, memory) => match &*message {
                    JsonRpcMessage::Request(request) => match self.flow.enter(&request.id) {
                        Ok(()) => self.parked = Some((message, memory)),
                        Err(problem) => {
                            let id = Some(request.id.clone()).filter(is_short);
                            let problem = format!("Invalid Request: {problem}");
                            self.owed = Some(error_line(id, ErrorCode::INVALID_REQUEST, &problem));
                        }
                    },
                    JsonRpcMessage::Notification(notice) => {
                        // The protocol library sends no response to a cancelled request.
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &notice.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            self.flow.leave(id);
                        }
                        return Some(*message);
                    }
                    _ => return Some(*message),
                },
                // A line that is cut off by the end of the stream has no client that waits.
                Received::Refused(_) | Received::Nothing if has_ended => return None,
                Received::Refused(answer) => self.owed = Some(answer),
                Received::Nothing => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // Sent messages are still written, as long as the peer reads.
        self.out = None;
        if let Some(mut writer) = self.writer.take()
            && tokio::time::timeout(CLOSE_TIMEOUT, &mut writer)
                .await
                .is_err()
        {
            writer.abort();
        }
        Ok(())
    }
}
