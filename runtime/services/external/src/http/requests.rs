//! Requests of the streamable HTTP transport, with bounded responses.
//!
//! The client of the protocol library parses a JSON body of up to 16 MiB before its values can be counted, and a parsed
//! value takes many times the memory of its text. It also reports a response that is too large, or an error status, as
//! a lost connection, which would end the attempt without a grade. An agent can cause both by its arguments. Here, the
//! values are counted first, and a response that cannot be used fails its tool call alone.

use http::{StatusCode, header};
use reqwest::{RequestBuilder, Response};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{HttpStatusError, SseError};
use sse_stream::{Sse, SseStream};
use tokio_stream::StreamExt;

use super::{Events, Headers, HttpError};

/// Maximum size of the body of an HTTP error, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Response to a POST. Texts still contain secrets, and may be invalid.
pub(super) enum Posted {
    /// A success without content.
    Accepted,
    /// One message, and the session id.
    Message(String, Option<String>),
    /// A stream of events, and the session id.
    Events(Events, Option<String>),
}

/// Address, session and headers of a request.
pub(super) struct Target<'a> {
    pub(super) url: &'a str,
    pub(super) session: Option<&'a str>,
    pub(super) token: Option<&'a str>,
    pub(super) headers: Headers,
}

impl Target<'_> {
    fn apply(self, mut request: RequestBuilder) -> RequestBuilder {
        if let Some(token) = self.token {
            request = request.bearer_auth(token);
        }
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(session) = self.session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        request
    }
}

/// Returns the id of a tool call. Its failure must not end the connection, because an agent chooses its arguments.
pub(super) fn tool_call(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
            is_call.then_some(&request.id)
        }
        _ => None,
    }
}

/// Sends a message. Single events and the JSON body of a response are limited to `limit` bytes. `quote` returns the part
/// of a response that an error message may contain.
pub(super) async fn post(
    client: &reqwest::Client,
    target: Target<'_>,
    message: &ClientJsonRpcMessage,
    limit: usize,
    quote: impl Fn(&str) -> String,
) -> Result<Posted, HttpError> {
    let accept = format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}");
    let has_session = target.session.is_some();
    let request = client.post(target.url).header(header::ACCEPT, accept);
    let response = target.apply(request).json(message).send().await?;
    let request_id = match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    };
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(Posted::Accepted);
    }
    if status == StatusCode::NOT_FOUND && has_session {
        return Err(HttpError::SessionExpired);
    }
    if !status.is_success() {
        return failure(response, tool_call(message), quote).await;
    }
    let session = response.headers().get(HEADER_SESSION_ID);
    let session = session.and_then(|id| Some(id.to_str().ok()?.to_owned()));
    if has_type(&response, EVENT_STREAM_MIME_TYPE) {
        let events = bounded_events(response, request_id, limit);
        return Ok(Posted::Events(events, session));
    }
    // Only a request has a response. Some servers send an empty or a JSON success instead of `202 Accepted`.
    let is_json = has_type(&response, JSON_MIME_TYPE);
    let content_type = content_type(&response);
    let Some(id) = request_id else {
        return if is_json || response.content_length() == Some(0) {
            Ok(Posted::Accepted)
        } else {
            Err(HttpError::UnexpectedContentType(content_type))
        };
    };
    if !is_json {
        return match tool_call(message) {
            Some(id) => {
                let found = content_type.map_or("no content type".to_owned(), |found| {
                    format!("content type {}", quote(&found))
                });
                let problem = format!("the response has {found}, and must be JSON or events");
                Ok(Posted::Message(refusal(id, &problem), None))
            }
            None => Err(HttpError::UnexpectedContentType(content_type)),
        };
    }
    let body = read_body(response, limit).await?;
    let message = body.unwrap_or_else(|| refusal(&id, &too_large(limit)));
    Ok(Posted::Message(message, session))
}

/// Opens a stream of messages that are not part of the response to a POST, or continues a stream after an event.
pub(super) async fn listen(
    client: &reqwest::Client,
    target: Target<'_>,
    last_event: Option<String>,
    limit: usize,
) -> Result<Events, HttpError> {
    let accept = format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}");
    let mut request = client.get(target.url).header(header::ACCEPT, accept);
    if let Some(event) = last_event {
        request = request.header(HEADER_LAST_EVENT_ID, event);
    }
    let response = target.apply(request).send().await?;
    let status = response.status();
    if status == StatusCode::METHOD_NOT_ALLOWED {
        return Err(HttpError::ServerDoesNotSupportSse);
    }
    if !status.is_success() {
        return Err(HttpStatusError::new(status.as_u16(), None).into());
    }
    if !has_type(&response, EVENT_STREAM_MIME_TYPE) {
        return Err(HttpError::UnexpectedContentType(content_type(&response)));
    }
    Ok(bounded_events(response, None, limit))
}

/// Reads the response of an error status. A JSON-RPC error is a message. Other responses fail the tool call `call`, if
/// there is one, unless the server is unavailable or requires other credentials.
async fn failure(
    response: Response,
    call: Option<&RequestId>,
    quote: impl Fn(&str) -> String,
) -> Result<Posted, HttpError> {
    let status = response.status();
    if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let text = format!("HTTP {status}");
        return Err(HttpError::UnexpectedServerResponse(text.into()));
    }
    let is_unavailable = matches!(
        status,
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
    );
    let is_json = has_type(&response, JSON_MIME_TYPE);
    let body = read_body(response, MAX_ERROR_BYTES).await;
    let body = body.ok().flatten().unwrap_or_default();
    if is_json && is_rpc_error(&body, call) {
        return Ok(Posted::Message(body, None));
    }
    if is_unavailable || (call.is_none() && status.is_server_error()) {
        return Err(HttpStatusError::new(status.as_u16(), None).into());
    }
    match call {
        Some(id) => {
            let problem = format!("the server responded with HTTP {status}: {}", quote(&body));
            let problem = problem.trim_end_matches([':', ' ']);
            Ok(Posted::Message(refusal(id, problem), None))
        }
        None => Err(HttpError::UnexpectedServerResponse(
            format!("HTTP {status}: {body}").into(),
        )),
    }
}

/// Reports whether a body is a JSON-RPC error, and the error of the tool call `call` if there is one.
fn is_rpc_error(body: &str, call: Option<&RequestId>) -> bool {
    match serde_json::from_str::<ServerJsonRpcMessage>(body) {
        Ok(JsonRpcMessage::Error(error)) => call.is_none_or(|id| error.id.as_ref() == Some(id)),
        _ => false,
    }
}

fn content_type(response: &Response) -> Option<String> {
    let value = response.headers().get(header::CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn has_type(response: &Response, kind: &str) -> bool {
    let starts = |found: &str| {
        found
            .get(..kind.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(kind))
    };
    content_type(response).is_some_and(|found| starts(&found))
}

/// Reads a body. Returns `None` if it has more bytes than `limit`.
async fn read_body(mut response: Response, limit: usize) -> Result<Option<String>, HttpError> {
    let length = response.content_length();
    if length.is_some_and(|length| length > limit as u64) {
        return Ok(None);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if chunk.len() > limit - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    let text = String::from_utf8(body);
    Ok(Some(text.unwrap_or_else(|error| {
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })))
}

/// Builds the JSON-RPC error that replaces a response that cannot be used.
pub(super) fn refusal(id: &RequestId, problem: &str) -> String {
    let error = ErrorData::internal_error(problem.to_owned(), None);
    let message = ServerJsonRpcMessage::error(error, Some(id.clone()));
    serde_json::to_string(&message).unwrap_or_default()
}

fn too_large(limit: usize) -> String {
    format!("the response has more than {limit} bytes")
}

/// Error of a stream of events.
#[derive(Debug, thiserror::Error)]
enum StreamError {
    #[error("an event has more than {0} bytes")]
    EventTooLarge(usize),
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

/// Returns the events of a response. An event over `limit` bytes ends the stream. It fails the request `id`, if there is
/// one; otherwise the protocol library opens the stream again.
fn bounded_events(response: Response, id: Option<RequestId>, limit: usize) -> Events {
    let mut size = EventSize::default();
    let mut failed = false;
    let bytes = response.bytes_stream().map_while(move |chunk| {
        if failed {
            return None;
        }
        let chunk = chunk.map_err(StreamError::Http).and_then(|chunk| {
            if size.add(&chunk) > limit {
                return Err(StreamError::EventTooLarge(limit));
            }
            Ok(chunk)
        });
        failed = chunk.is_err();
        Some(chunk)
    });
    let events = SseStream::from_bytes_stream(bytes);
    Box::pin(events.map(move |event| match (event, &id) {
        (Err(SseError::Body(error)), Some(id)) if is_too_large(&*error) => {
            Ok(Sse::default().data(refusal(id, &too_large(limit))))
        }
        (event, _) => event,
    }))
}

fn is_too_large(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        error.downcast_ref::<StreamError>(),
        Some(StreamError::EventTooLarge(_))
    )
}

/// Size of the event that is being received: the bytes since the last blank line.
#[derive(Debug, Default)]
struct EventSize {
    event: usize,
    line: usize,
    after_return: bool,
}

impl EventSize {
    /// Adds received bytes. Returns the size of the largest event among them so far.
    fn add(&mut self, bytes: &[u8]) -> usize {
        let mut largest = self.event;
        for byte in bytes {
            let ends_return = *byte == b'\n' && self.after_return;
            self.after_return = *byte == b'\r';
            if ends_return {
                continue;
            }
            if matches!(byte, b'\r' | b'\n') {
                if self.line == 0 {
                    self.event = 0;
                }
                self.line = 0;
            } else {
                self.line += 1;
                self.event += 1;
                largest = largest.max(self.event);
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;

    use rmcp::model::{ClientRequest, PingRequest};

    use super::*;

    const LIMIT: usize = 1_000;

    /// Sends a request with the id 7 to a server that sends this response.
    async fn exchange(kind: &'static str, body: String) -> Result<Posted, HttpError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            for line in BufReader::new(&stream).lines() {
                if line.unwrap().is_empty() {
                    break;
                }
            }
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
            // The client closes the connection at its limit.
            let _ = (&stream).write_all((head + &body).as_bytes());
        });
        let request = ClientRequest::PingRequest(PingRequest::default());
        let message = ClientJsonRpcMessage::request(request, RequestId::Number(7));
        let target = Target {
            url: &url,
            session: None,
            token: None,
            headers: Headers::new(),
        };
        let client = mcpmark_http::client(false).unwrap();
        let posted = post(&client, target, &message, LIMIT, str::to_owned).await;
        server.join().unwrap();
        posted
    }

    fn result_of(length: usize) -> String {
        let text = "x".repeat(length);
        format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{text}"}}}}"#)
    }

    const REFUSED: &str = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the response has more than 1000 bytes"}}"#;

    #[tokio::test]
    async fn a_body_over_the_limit_fails_its_request() {
        let rest = result_of(0).len();
        for (length, expected) in [(LIMIT - rest, None), (LIMIT - rest + 1, Some(REFUSED))] {
            let body = result_of(length);
            let Posted::Message(message, None) =
                exchange("application/json", body.clone()).await.unwrap()
            else {
                panic!("expected a message");
            };
            assert_eq!(message, expected.unwrap_or(&body));
        }
    }

    #[tokio::test]
    async fn an_event_over_the_limit_fails_its_request_and_ends_the_stream() {
        let small = format!("data: {}\n\n", result_of(0));
        let stream = format!("{small}data: {}\n\n{small}", result_of(LIMIT));
        let posted = exchange("text/event-stream; charset=utf-8", stream)
            .await
            .unwrap();
        let Posted::Events(mut events, None) = posted else {
            panic!("expected events");
        };
        let mut data = Vec::new();
        while let Some(event) = events.next().await {
            data.extend(event.unwrap().data);
        }
        assert_eq!(data.last().map(String::as_str), Some(REFUSED));
        assert!(
            data[..data.len() - 1]
                .iter()
                .all(|event| *event == result_of(0))
        );
    }

    /// The size is the same however the bytes are cut, and all line endings of the format count alike.
    #[test]
    fn a_blank_line_ends_an_event() {
        for (text, largest) in [
            ("data: abc", 9),
            ("data: a\n\ndata: bc\n\n", 8),
            ("data: a\r\n\r\ndata: bc\r\n", 8),
            ("data: a\r\rdata: bc", 8),
            ("data: a\r\ndata: bc\r\n", 15),
            ("data: a\ndata: bc\n\n", 15),
            ("\n\n\n", 0),
        ] {
            for cut in 0..=text.len() {
                let (start, end) = text.as_bytes().split_at(cut);
                let mut size = EventSize::default();
                let found = size.add(start).max(size.add(end));
                assert_eq!(found, largest, "{text:?} cut at {cut}");
            }
        }
    }
}
