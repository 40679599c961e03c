//! Connection to a server: simple queries, cancellation.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use mcpmark_service::BoxedStream;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend::{self, BindError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_postgres::Config;

use super::message::{self, Column, Frame, Malformed, RowValues, ServerError};
use super::startup;

/// Size of reads from the socket, in bytes.
const CHUNK: usize = 64 * 1024;

/// Size of the tag and the length of a message, in bytes.
const HEADER: usize = 5;

/// Maximum size of a message that is no row, in bytes. Errors can contain texts of any length.
const MAX_MESSAGE: usize = 8 << 20;

/// Maximum total size of the notices of one query, in bytes. Their content is not used.
const MAX_NOTICES: usize = 64 << 20;

/// Message of libpq for a connection that was closed.
const CLOSED: &str = "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n\tbefore or while processing the request.";

/// Time that a cancelled query gets to end before its connection is dropped.
const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// Receiver of the results of a query.
pub(crate) trait Sink {
    /// Begins a result with rows, and drops the rows of the one before.
    fn begin(&mut self, columns: Vec<Column>, parameters: &Parameters);

    /// Takes a row.
    ///
    /// # Errors
    ///
    /// Returns an error if the result has become too large. The query is cancelled then.
    fn row(&mut self, values: RowValues<'_>) -> Result<(), QueryError>;

    /// Notes a statement that returns no rows, and drops the rows of the result before.
    fn no_rows(&mut self);

    /// Notes the end of a statement, with the tag of its command, such as `UPDATE 3`.
    fn complete(&mut self, _tag: &[u8]) {}

    /// Returns the size of the largest row that is read, in bytes.
    fn max_row_bytes(&self) -> usize;

    /// Notes a row that is larger. The query is cancelled if this is an error.
    fn oversized_row(&mut self) -> Result<(), QueryError>;

    /// Checks the last result before its transaction ends.
    ///
    /// # Errors
    ///
    /// Returns an error if psycopg cannot convert a value.
    fn check(&mut self) -> Result<(), QueryError> {
        Ok(())
    }
}

/// Settings of a session that the server reports, such as `TimeZone`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(HashMap<String, String>);

impl Parameters {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    #[cfg(test)]
    pub(crate) fn of(settings: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self(settings.iter().map(owned).collect())
    }
}

/// Error of a query.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QueryError {
    /// Error that the server reports.
    #[error("{}", .0.field(b'M').unwrap_or("unknown error"))]
    Server(ServerError),
    /// Error that the server reports before it ends the connection.
    #[error("{}", .0.field(b'M').unwrap_or("unknown error"))]
    Ended(ServerError),
    /// Lost connection, or one that cannot be opened.
    #[error("{0}")]
    Lost(String),
    /// `COPY` from or to the client.
    #[error("COPY cannot be used with this method; use copy() instead")]
    Copy,
    /// Value that psycopg cannot convert, with its message.
    #[error("{0}")]
    Unconvertible(String),
    /// Result that exceeds the limit in bytes.
    #[error("result of more than {0} bytes exceeds the limit of {0} bytes for one tool result")]
    TooLarge(u64),
    /// Error of the server whose text is too long.
    #[error(
        "the server reported an error with a text of more than {MAX_MESSAGE} bytes, which is not shown"
    )]
    LongError,
    /// Too many notices.
    #[error(
        "notices of more than {MAX_NOTICES} bytes exceed the limit of one query; the statement was cancelled and rolled \
         back: raise fewer or shorter notices"
    )]
    Notices,
    /// Cancelled call, or one that needs too much memory.
    #[error(transparent)]
    Interrupted(#[from] mcpmark_service::Interrupted),
}

impl QueryError {
    pub(crate) fn malformed() -> Self {
        Malformed.into()
    }
}

impl From<io::Error> for QueryError {
    fn from(error: io::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

impl From<Malformed> for QueryError {
    fn from(error: Malformed) -> Self {
        Self::Lost(error.to_string())
    }
}

/// Status of the transaction after a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transaction {
    Idle,
    Open,
    Failed,
}

/// Connection to a server.
pub(crate) struct Connection {
    stream: BoxedStream,
    received: BytesMut,
    config: Config,
    parameters: Parameters,
    key: (i32, i32),
    transaction: Transaction,
    /// Message that is being skipped, with the number of bytes that are not yet read.
    skipping: Option<(Skipped, usize)>,
    phase: Phase,
}

/// Message whose content is not kept.
#[derive(Debug, Clone, Copy)]
struct Skipped {
    tag: u8,
    bytes: usize,
}

/// State of the exchange with the server, for a query whose future is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Ready,
    /// A message is sent, perhaps in part.
    Sending,
    /// The server answers.
    Receiving,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(config: &Config) -> Result<Self, QueryError> {
        startup::open(config).await
    }

    pub(super) fn new(stream: BoxedStream, config: Config) -> Self {
        Self {
            stream,
            received: BytesMut::new(),
            config,
            parameters: Parameters::default(),
            key: (0, 0),
            transaction: Transaction::Idle,
            skipping: None,
            phase: Phase::Ready,
        }
    }

    pub(crate) fn transaction(&self) -> Transaction {
        self.transaction
    }

    /// Notes the end of the start-up.
    pub(super) fn ready(&mut self) {
        self.phase = Phase::Ready;
    }

    pub(super) async fn send(&mut self, message: &[u8]) -> Result<(), QueryError> {
        self.phase = Phase::Sending;
        self.stream.write_all(message).await?;
        self.stream.flush().await?;
        self.phase = Phase::Receiving;
        Ok(())
    }

    /// Reads the next message. The content of notices, of rows that are larger than `max_row` bytes and of other messages
    /// that are too large is skipped. A dropped future loses nothing.
    pub(super) async fn frame(&mut self, max_row: usize) -> Result<Frame, QueryError> {
        if self.skipping.is_none() {
            self.fill(HEADER).await?;
            let [tag, length @ ..] = [0, 1, 2, 3, 4].map(|index| self.received[index]);
            let length = u32::from_be_bytes(length) as usize;
            let bytes = length.checked_sub(4).ok_or(Malformed)?;
            let is_kept = match tag {
                b'D' => bytes <= max_row,
                b'N' => false,
                _ => bytes <= MAX_MESSAGE,
            };
            if is_kept {
                self.fill(HEADER + bytes).await?;
                self.received.advance(HEADER);
                let body = self.received.split_to(bytes).freeze();
                return Ok(Frame::Message { tag, body });
            }
            self.skipping = Some((Skipped { tag, bytes }, HEADER + bytes));
        }
        while let Some((Skipped { tag, bytes }, left)) = self.skipping {
            if left == 0 {
                self.skipping = None;
                return Ok(Frame::Skipped { tag, bytes });
            }
            self.fill(1).await?;
            let skipped = left.min(self.received.len());
            self.received.advance(skipped);
            self.skipping = Some((Skipped { tag, bytes }, left - skipped));
        }
        Err(QueryError::malformed())
    }

    async fn fill(&mut self, length: usize) -> Result<(), QueryError> {
        while self.received.len() < length {
            let missing = length - self.received.len();
            self.received.reserve(missing.max(CHUNK));
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Err(QueryError::Lost(CLOSED.to_owned()));
            }
        }
        Ok(())
    }

    /// Notes a message that may arrive at any time.
    pub(super) fn note(&mut self, tag: u8, body: &[u8]) -> Result<(), QueryError> {
        match tag {
            b'S' => {
                let (name, value) = message::parameter(body)?;
                self.parameters.0.insert(name, value);
            }
            b'K' => self.key = message::key_data(body)?,
            b'E' => return Err(error(ServerError::parse(body)?)),
            _ => {}
        }
        Ok(())
    }

    /// Runs statements with the simple protocol, and hands their results to the sink.
    pub(crate) async fn query(&mut self, sql: &str, sink: &mut dyn Sink) -> Result<(), QueryError> {
        // libpq takes the text as a C string, so it ends at the first NUL.
        let sql = sql.split('\0').next().unwrap_or_default();
        let mut message = BytesMut::new();
        frontend::query(sql, &mut message)?;
        self.send(&message).await?;
        self.results(sink).await
    }

    /// Runs one statement with the extended protocol, with parameters and results as texts, and hands its result to the
    /// sink.
    pub(crate) async fn execute(
        &mut self,
        sql: &str,
        parameters: &[Option<String>],
        sink: &mut dyn Sink,
    ) -> Result<(), QueryError> {
        let mut message = BytesMut::new();
        frontend::parse("", sql, [], &mut message)?;
        let bound = frontend::bind(
            "",
            "",
            [],
            parameters,
            |parameter: &Option<String>, message: &mut BytesMut| {
                Ok(match parameter {
                    Some(text) => {
                        message.extend_from_slice(text.as_bytes());
                        IsNull::No
                    }
                    None => IsNull::Yes,
                })
            },
            [],
            &mut message,
        );
        bound.map_err(|error| match error {
            BindError::Conversion(error) => QueryError::Lost(error.to_string()),
            BindError::Serialization(error) => QueryError::from(error),
        })?;
        frontend::describe(b'P', "", &mut message)?;
        frontend::execute("", 0, &mut message)?;
        frontend::sync(&mut message);
        self.send(&message).await?;
        self.results(sink).await
    }

    async fn results(&mut self, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let mut failure: Option<QueryError> = None;
        let mut in_rows = false;
        let mut notices = 0_usize;
        loop {
            let frame = match self.frame(sink.max_row_bytes()).await {
                Ok(frame) => frame,
                Err(lost) => return Err(failure.unwrap_or(lost)),
            };
            let step = match frame {
                Frame::Skipped { tag: b'N', bytes } => {
                    notices = notices.saturating_add(bytes);
                    if notices > MAX_NOTICES {
                        Err(QueryError::Notices)
                    } else {
                        Ok(())
                    }
                }
                Frame::Skipped { tag: b'D', .. } if failure.is_none() => sink.oversized_row(),
                Frame::Skipped { tag: b'D', .. } => Ok(()),
                Frame::Skipped { tag: b'E', .. } => Err(QueryError::LongError),
                Frame::Skipped { .. } => return Err(QueryError::malformed()),
                Frame::Message { tag, body } => match tag {
                    b'T' => {
                        in_rows = true;
                        sink.begin(message::columns(&body)?, &self.parameters);
                        Ok(())
                    }
                    b'D' if failure.is_some() => Ok(()),
                    b'D' => sink.row(RowValues::parse(&body)?),
                    b'C' | b'I' => {
                        // The end of a result with rows, or a statement without.
                        if !std::mem::take(&mut in_rows) {
                            sink.no_rows();
                        }
                        if tag == b'C' {
                            sink.complete(body.strip_suffix(&[0]).unwrap_or(&body));
                        }
                        Ok(())
                    }
                    b'G' | b'H' => return Err(QueryError::Copy),
                    b'Z' => {
                        self.transaction = match body.first() {
                            Some(b'I') => Transaction::Idle,
                            Some(b'T') => Transaction::Open,
                            _ => Transaction::Failed,
                        };
                        self.phase = Phase::Ready;
                        return failure.map_or(Ok(()), Err);
                    }
                    _ => self.note(tag, &body),
                },
            };
            match step {
                Err(QueryError::Ended(error)) => return Err(QueryError::Ended(error)),
                Err(problem) if failure.is_none() => {
                    let is_ours = !matches!(problem, QueryError::Server(_) | QueryError::LongError);
                    failure = Some(problem);
                    if is_ours {
                        self.request_cancellation().await;
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports whether the server can parse statements. Nothing is executed.
    ///
    /// An extended query with several statements is refused after they were parsed, and before anything else. So this
    /// asks for the statements after two that are valid.
    pub(crate) async fn parses(&mut self, sql: &str) -> Result<bool, QueryError> {
        let sql = sql.split('\0').next().unwrap_or_default();
        let mut message = BytesMut::new();
        frontend::parse("", &format!("select 1;select 2;\n{sql}"), [], &mut message)?;
        frontend::sync(&mut message);
        self.send(&message).await?;
        let mut parses = true;
        loop {
            let (tag, body) = match self.frame(usize::MAX).await? {
                Frame::Message { tag, body } => (tag, body),
                // The refusal of several statements is short, so it is another error.
                Frame::Skipped { tag: b'E', .. } => {
                    parses = false;
                    continue;
                }
                Frame::Skipped { .. } => continue,
            };
            match tag {
                b'E' => {
                    let error = ServerError::parse(&body)?;
                    if error.is_fatal() {
                        return Err(QueryError::Ended(error));
                    }
                    parses = error.field(b'R') == Some("exec_parse_message");
                }
                b'Z' => {
                    self.phase = Phase::Ready;
                    return Ok(parses);
                }
                _ => self.note(tag, &body)?,
            }
        }
    }

    /// Asks the server to cancel the running query.
    async fn request_cancellation(&self) {
        let mut message = BytesMut::new();
        frontend::cancel_request(self.key.0, self.key.1, &mut message);
        let request = async {
            let mut stream = startup::stream(&self.config).await?;
            stream.write_all(&message).await?;
            // The server closes the stream once it has signalled the backend.
            stream.read(&mut [0; 1]).await
        };
        // A server that cannot be reached has no query to cancel.
        let _ = tokio::time::timeout(CANCEL_GRACE, request).await;
    }

    /// Cancels the running query and waits until it has ended.
    ///
    /// # Errors
    ///
    /// Returns an error if the query does not end in time. The connection must be dropped then.
    pub(crate) async fn cancel(&mut self) -> Result<(), QueryError> {
        match self.phase {
            Phase::Ready => return Ok(()),
            Phase::Sending => {
                return Err(QueryError::Lost("a message was sent in part".to_owned()));
            }
            Phase::Receiving => {}
        }
        self.request_cancellation().await;
        let ended = tokio::time::timeout(CANCEL_GRACE, self.results(&mut Ignored)).await;
        match ended {
            Ok(Ok(()) | Err(QueryError::Server(_))) => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(QueryError::Lost("the query was not cancelled".to_owned())),
        }
    }
}

fn error(error: ServerError) -> QueryError {
    if error.is_fatal() {
        QueryError::Ended(error)
    } else {
        QueryError::Server(error)
    }
}

/// Sink that ignores all results.
pub(crate) struct Ignored;

impl Sink for Ignored {
    fn begin(&mut self, _columns: Vec<Column>, _parameters: &Parameters) {}

    fn row(&mut self, _values: RowValues<'_>) -> Result<(), QueryError> {
        Ok(())
    }

    fn no_rows(&mut self) {}

    fn max_row_bytes(&self) -> usize {
        0
    }

    fn oversized_row(&mut self) -> Result<(), QueryError> {
        Ok(())
    }
}
