//! Client of servers on streamable HTTP.

mod requests;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderName, HeaderValue};
use mcpmark_http::{Secret, Secrets};
use mcpmark_service::{ToolClient, bounded_message, response_id};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use tokio_stream::{Stream, StreamExt};

use self::requests::{Posted, Target};
use crate::{ExternalError, HttpServer, MAX_MESSAGE_BYTES, with_timeout};

type HttpError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = Pin<Box<dyn Stream<Item = Result<sse_stream::Sse, SseError>> + Send>>;

/// Maximum length of a quoted response, in characters.
const QUOTE: usize = 300;

/// Minimum delay before a stream is opened again, in milliseconds.
const MIN_RETRY_MS: u64 = 1000;

/// Errors of the HTTP transport.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The connection failed.
    #[error("cannot connect: {0}")]
    Unreachable(String),
    /// The server requires other credentials.
    #[error(
        "the server responded with HTTP {status}; check the variables of `bearer` and `headers`"
    )]
    Unauthorized {
        /// The status, 401 or 403.
        status: u16,
    },
    /// The server responded with an error status.
    #[error("the server responded with {0}")]
    Status(String),
    /// The response is not MCP.
    #[error("the response is not MCP: {0}")]
    NotMcp(String),
}

/// Returns the configured headers, and their secrets.
pub(crate) fn headers(
    name: &str,
    server: &HttpServer,
    variable: impl Fn(&str) -> Result<String, ExternalError>,
) -> Result<(Headers, Vec<Secret>), ExternalError> {
    let mut headers = Headers::new();
    let mut secrets = Vec::new();
    let mut put = |header: HeaderName, variable: &str, text: String| {
        let value = HeaderValue::from_str(&text);
        let mut value = value.map_err(|_| ExternalError::NoHeader {
            name: name.to_owned(),
            variable: variable.to_owned(),
        })?;
        value.set_sensitive(true);
        // The part after `Bearer` or `Basic` is also a secret on its own.
        if let Some((_, rest)) = text.split_once(' ') {
            secrets.push(Secret::new(rest.trim()));
        }
        secrets.push(Secret::new(text));
        headers.insert(header, value);
        Ok(())
    };
    if let Some(key) = server.bearer() {
        let token = variable(key)?;
        let header = http::header::AUTHORIZATION;
        put(header, key, format!("Bearer {}", token.trim()))?;
    }
    for (header, key) in server.headers() {
        // The name was checked when the spec was read.
        if let Ok(header) = HeaderName::from_bytes(header.as_bytes()) {
            put(header, key, variable(key)?.trim().to_owned())?;
        }
    }
    Ok((headers, secrets))
}

/// Connects to a server.
pub(crate) async fn connect(
    name: &str,
    server: &HttpServer,
    variable: impl Fn(&str) -> Result<String, ExternalError>,
) -> Result<ToolClient, ExternalError> {
    let (headers, secrets) = headers(name, server, variable)?;
    let client = mcpmark_http::client(!server.is_local());
    let client = client.map_err(|error| ExternalError::Client {
        name: name.to_owned(),
        reason: error.to_string(),
    })?;
    let guarded = Guarded {
        client,
        secrets: Secrets::new(&secrets),
        last_error: Arc::default(),
    };
    let last_error = Arc::clone(&guarded.last_error);
    let config = StreamableHttpClientTransportConfig::with_uri(server.url())
        .custom_headers(headers)
        .max_sse_event_size(MAX_MESSAGE_BYTES);
    let transport = StreamableHttpClientTransport::with_client(guarded, config);
    let connected = with_timeout(name, ToolClient::through(transport)).await;
    // The error of the transport is more specific than a failed handshake.
    let last_error = last_error
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match (connected, last_error) {
        (Err(ExternalError::Handshake { .. }), Some(error)) => Err(ExternalError::Http {
            name: name.to_owned(),
            url: server.url().to_owned(),
            error,
        }),
        (connected, _) => connected,
    }
}

/// HTTP client that bounds and redacts responses, and remembers its last error.
#[derive(Clone)]
struct Guarded {
    client: reqwest::Client,
    secrets: Secrets,
    last_error: Arc<Mutex<Option<TransportError>>>,
}

impl Guarded {
    /// Bounds, redacts and checks the messages of a stream. A message that cannot be used fails the tool call `call`, if
    /// it is the response to it.
    fn checked_events(&self, events: Events, call: Option<RequestId>) -> Events {
        let this = self.clone();
        // The protocol library opens a stream again after a delay if it ends, and immediately if it fails.
        let ends_on_error = call.is_none();
        let events = events.take_while(move |event| event.is_ok() || !ends_on_error);
        Box::pin(events.map(move |event| {
            event.map(|mut event| {
                event.retry = event.retry.map(|retry| retry.max(MIN_RETRY_MS));
                let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
                event.data = event.data.and_then(|data| {
                    if !is_message || data.trim().is_empty() {
                        return Some(this.secrets.scrub(&data));
                    }
                    let id = response_id(data.as_bytes());
                    match this.checked(data) {
                        Ok(data) => Some(data),
                        Err(problem) => {
                            let call = call.as_ref().filter(|call| id.as_ref() == Some(*call));
                            call.map(|call| requests::refusal(call, &invalid(&problem)))
                        }
                    }
                });
                event
            })
        }))
    }

    /// Returns a message without secrets, or the problem if the text is not a valid message.
    fn checked(&self, text: String) -> Result<String, String> {
        let mut text = bounded_message(text).ok_or("too many JSON values")?;
        let read = self.secrets.scrub_document(&text).and_then(|redacted| {
            if let Some(redacted) = redacted {
                text = redacted;
            }
            serde_json::from_str::<ServerJsonRpcMessage>(&text)
        });
        match read {
            Ok(_) => Ok(text),
            Err(error) => Err(format!("{error}: {}", self.quote(&text))),
        }
    }

    /// Returns the start of a text without secrets. They are redacted in the whole text before it is cut, because a
    /// part of a secret is not recognised, and redacting long secrets moves later ones to the start.
    fn quote(&self, text: &str) -> String {
        self.secrets.scrub(text).chars().take(QUOTE).collect()
    }

    /// Redacts an error and removes its URL, which callers add once, and remembers it.
    fn failed(&self, error: HttpError) -> HttpError {
        let error = match error {
            HttpError::Client(error) => HttpError::Client(error.without_url()),
            HttpError::UnexpectedServerResponse(text) => {
                HttpError::UnexpectedServerResponse(self.secrets.scrub(&text).into())
            }
            HttpError::AuthRequired(_) => {
                HttpError::UnexpectedServerResponse("HTTP 401 Unauthorized".into())
            }
            HttpError::InsufficientScope(_) => {
                HttpError::UnexpectedServerResponse("HTTP 403 Forbidden".into())
            }
            HttpError::UnexpectedContentType(Some(text)) => {
                HttpError::UnexpectedContentType(Some(self.secrets.scrub(&text)))
            }
            other => other,
        };
        let mut last_error = self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *last_error = Some(TransportError::from_http(&error));
        error
    }
}

impl TransportError {
    fn from_http(error: &HttpError) -> Self {
        match error {
            HttpError::Client(error) => Self::Unreachable(innermost(error)),
            HttpError::HttpStatus(status) => Self::Status(status.to_string()),
            HttpError::UnexpectedServerResponse(text) => {
                let status = text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3));
                match status.and_then(|status| status.parse().ok()) {
                    Some(status @ (401 | 403)) => Self::Unauthorized { status },
                    Some(_) => {
                        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        let line = line.trim_end_matches(':').chars().take(QUOTE);
                        Self::Status(line.collect())
                    }
                    None => Self::NotMcp(text.chars().take(QUOTE).collect()),
                }
            }
            HttpError::UnexpectedContentType(Some(kind)) => {
                Self::NotMcp(format!("its content type is {kind}"))
            }
            HttpError::UnexpectedContentType(None) => {
                Self::NotMcp("it has no content type".to_owned())
            }
            other => Self::NotMcp(other.to_string()),
        }
    }
}

fn invalid(problem: &str) -> String {
    format!("the response is not a valid message: {problem}")
}

/// Root cause of an error: `connection refused` rather than `error sending request`.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

impl StreamableHttpClient for Guarded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let limit = MAX_MESSAGE_BYTES;
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, limit)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let target = Target {
            url: &uri,
            session: session.as_deref(),
            token: token.as_deref(),
            headers,
        };
        let quote = |text: &str| self.quote(text);
        let posted = requests::post(&self.client, target, &message, limit, quote).await;
        let call = requests::tool_call(&message);
        Ok(match posted.map_err(|error| self.failed(error))? {
            Posted::Accepted => StreamableHttpPostResponse::Accepted,
            Posted::Message(text, session) => {
                let id = response_id(text.as_bytes());
                let text = match (self.checked(text), call) {
                    (Ok(_), Some(call)) if id.as_ref() != Some(call) => {
                        requests::refusal(call, "the response is not the response to this call")
                    }
                    (Ok(text), _) => text,
                    (Err(problem), Some(call)) => requests::refusal(call, &invalid(&problem)),
                    (Err(problem), None) => {
                        let error = HttpError::UnexpectedServerResponse(problem.into());
                        return Err(self.failed(error));
                    }
                };
                StreamableHttpPostResponse::Json(serde_json::from_str(&text)?, session)
            }
            Posted::Events(events, session) => {
                let events = self.checked_events(events, call.cloned());
                StreamableHttpPostResponse::Sse(events, session)
            }
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        let deleted = self.client.delete_session(uri, session, token, headers);
        deleted.await.map_err(|error| self.failed(error))
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
        let limit = MAX_MESSAGE_BYTES;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, limit)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<Events, HttpError> {
        let target = Target {
            url: &uri,
            session: session.as_deref(),
            token: token.as_deref(),
            headers,
        };
        // Servers without this stream are common, so its errors are not remembered.
        let events = requests::listen(&self.client, target, last_event, limit).await?;
        Ok(self.checked_events(events, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_comes_back_in_an_error() {
        let guarded = Guarded {
            client: mcpmark_http::client(false).unwrap(),
            secrets: Secrets::new(&[Secret::new("can\"ary-1")]),
            last_error: Arc::default(),
        };
        let error = HttpError::UnexpectedServerResponse("HTTP 400: you sent can\"ary-1".into());
        let error = guarded.failed(error);
        assert!(!format!("{error:?} {error}").contains("ary-1"));
    }

    #[test]
    fn a_quote_has_no_part_of_a_long_secret() {
        let numbers: String = (0..600).map(|number| format!("{number:04}")).collect();
        let key = format!("key-{numbers}");
        let guarded = Guarded {
            client: mcpmark_http::client(false).unwrap(),
            secrets: Secrets::new(&[Secret::new(key.clone())]),
            last_error: Arc::default(),
        };
        for echoes in [1, 26, 27, 28, 29, 30] {
            let text = key.repeat(echoes);
            for text in [format!("[{text:?}]"), text] {
                let problem = guarded.checked(text).unwrap_err();
                assert!(problem.contains("[redacted]"), "{problem}");
                let left = problem.contains("key-") || problem.contains("0001");
                assert!(!left, "{echoes}: {problem}");
            }
        }
    }

    #[test]
    fn messages_name_the_status() {
        let read = |text: &str| {
            TransportError::from_http(&HttpError::UnexpectedServerResponse(text.to_owned().into()))
                .to_string()
        };
        assert!(read("HTTP 401 Unauthorized").starts_with("the server responded with HTTP 401;"));
        assert_eq!(
            read("HTTP 307 Temporary Redirect: "),
            "the server responded with HTTP 307 Temporary Redirect"
        );
        assert_eq!(
            read("empty sse stream"),
            "the response is not MCP: empty sse stream"
        );
    }
}
