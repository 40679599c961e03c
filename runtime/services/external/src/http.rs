//! Servers that are reached over streamable HTTP.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderName, HeaderValue};
use mcpmark_http::{Secret, Secrets};
use mcpmark_service::{MAX_MESSAGE_BYTES, ToolClient, bounded_message};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use tokio_stream::{Stream, StreamExt};

use crate::{ExternalError, HttpServer, scrub, shake_hands};

type HttpError = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = Pin<Box<dyn Stream<Item = Result<sse_stream::Sse, SseError>> + Send>>;

/// What went wrong on the way to a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nobody answers there.
    #[error("nobody answers: {0}")]
    Unreachable(String),
    /// It wants another key, or any.
    #[error("it refuses with {status}; its `bearer` or `headers` say what it is shown")]
    Refused {
        /// The status, 401 or 403.
        status: u16,
    },
    /// It answers with a status that is an error.
    #[error("it answers {0}")]
    Status(String),
    /// What answers does not speak MCP.
    #[error("what answers there does not speak MCP: {0}")]
    NotMcp(String),
}

/// The headers that a server is shown, and what of them nobody may see.
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
        // What follows `Bearer` or `Basic` is a secret by itself.
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
        // Looked at when the spec was read.
        if let Ok(header) = HeaderName::from_bytes(header.as_bytes()) {
            put(header, key, variable(key)?.trim().to_owned())?;
        }
    }
    Ok((headers, secrets))
}

/// Reaches a server and shakes hands with it.
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
    let connected = shake_hands(name, ToolClient::through(transport)).await;
    // What the transport ran into says more than that there was no handshake.
    let error = last_error
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match (connected, error) {
        (Err(ExternalError::Handshake { .. }), Some(error)) => Err(ExternalError::Http {
            name: name.to_owned(),
            url: server.url().to_owned(),
            error,
        }),
        (connected, _) => connected,
    }
}

/// A client that lets no secret back in and remembers its last error.
#[derive(Clone)]
struct Guarded {
    client: reqwest::Client,
    secrets: Secrets,
    last_error: Arc<Mutex<Option<TransportError>>>,
}

impl Guarded {
    fn scrub_events(&self, events: Events) -> Events {
        let this = self.clone();
        Box::pin(events.map(move |event| {
            event.map(|mut event| {
                let data = event.data.and_then(bounded_message);
                event.data = data.map(|data| this.secrets.scrub_json(data));
                event
            })
        }))
    }

    /// An error without secrets and without the address, which is told once.
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
        *last_error = Some(TransportError::read(&error));
        error
    }
}

impl TransportError {
    fn read(error: &HttpError) -> Self {
        /// Characters of what a server says that are kept.
        const SAID: usize = 300;
        match error {
            HttpError::Client(error) => Self::Unreachable(innermost(error)),
            HttpError::HttpStatus(status) => Self::Status(status.to_string()),
            HttpError::UnexpectedServerResponse(text) => {
                let status = text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3));
                match status.and_then(|status| status.parse().ok()) {
                    Some(status @ (401 | 403)) => Self::Refused { status },
                    Some(_) => {
                        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        let line = line.trim_end_matches(':').chars().take(SAID);
                        Self::Status(line.collect())
                    }
                    None => Self::NotMcp(text.chars().take(SAID).collect()),
                }
            }
            HttpError::UnexpectedContentType(Some(kind)) => {
                Self::NotMcp(format!("it sends {kind}"))
            }
            HttpError::UnexpectedContentType(None) => {
                Self::NotMcp("it does not say what it sends".to_owned())
            }
            other => Self::NotMcp(other.to_string()),
        }
    }
}

/// The error that an error is due to: `connection refused` rather than `error sending request`.
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
        let posted = self
            .client
            .post_message_with_max_sse_event_size(uri, message, session, token, headers, limit)
            .await
            .map_err(|error| self.failed(error))?;
        Ok(match posted {
            StreamableHttpPostResponse::Json(message, session) => {
                StreamableHttpPostResponse::Json(scrub::message(&self.secrets, message)?, session)
            }
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.scrub_events(events), session)
            }
            accepted => accepted,
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
        // That a server keeps no such stream is no error.
        let events = self
            .client
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, limit)
            .await?;
        Ok(self.scrub_events(events))
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
    fn statuses_say_what_is_wrong() {
        let read = |text: &str| {
            TransportError::read(&HttpError::UnexpectedServerResponse(text.to_owned().into()))
                .to_string()
        };
        assert!(read("HTTP 401 Unauthorized").starts_with("it refuses with 401"));
        assert_eq!(
            read("HTTP 307 Temporary Redirect: "),
            "it answers HTTP 307 Temporary Redirect"
        );
        assert_eq!(
            read("empty sse stream"),
            "what answers there does not speak MCP: empty sse stream"
        );
    }
}
