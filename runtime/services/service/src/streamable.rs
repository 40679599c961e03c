//! MCP over streamable HTTP. Messages in the bodies of POST requests are forwarded to a stream that a session serves.
//!
//! Both eras of the protocol are supported. Up to version 2025-11-25 a client opens an HTTP session with `initialize`
//! and ends it with DELETE; each HTTP session has its own stream. From 2026-07-28 on requests are stateless and share
//! one stream. Responses are JSON: the servers of this library send only responses, so no event stream is offered.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::exchange::{Abandoned, Answer, Exchange, Gone, Room};
use crate::flow::LONGEST_ID;
use crate::http::{HeldResponse, HttpRequest, HttpResponse, serve_held};
use crate::lines::{self, Received};
use crate::surrogates::SurrogateRepair;
use crate::{BoxedStream, ServeHandle};

/// Maximum number of open HTTP sessions on one address.
const MAX_SESSIONS: usize = 64;
/// Time after the last request in which a client that has ended its HTTP session may open another one.
const LINGER: Duration = Duration::from_millis(200);
/// Buffer size of each direction of the stream of a session, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
/// Key in `_meta` of a request for its protocol version.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Key in `_meta` of a request for the capabilities of its client.
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Serves MCP over streamable HTTP at one path of a listener, until the handle is aborted or `until` completes; then
/// all connections are closed. `connect` serves MCP on a stream, as [`Session::serve`](crate::Session::serve) does.
///
/// Requests for another host or from a page of another site are refused as described at
/// [`serve_http`](crate::serve_http). The memory for unread responses is limited over all clients: when the limit is
/// reached, calls wait.
///
/// # Panics
/// Panics if called outside a Tokio runtime.
pub fn serve_mcp<U, C>(
    listener: TcpListener,
    path: &str,
    until: U,
    connect: C,
) -> (ServeHandle, Activity)
where
    U: Future<Output = ()> + Send + 'static,
    C: Fn(BoxedStream) -> ServeHandle + Send + Sync + 'static,
{
    let endpoint = Arc::new(Endpoint {
        path: path.to_owned(),
        connect: Box::new(connect),
        room: Room::default(),
        shared: Arc::default(),
    });
    let activity = Activity(Arc::clone(&endpoint.shared));
    let shared = Arc::clone(&endpoint.shared);
    let until = async move {
        until.await;
        // The streams of HTTP sessions are closed together with the connections.
        shared.lock().end();
    };
    let handle = serve_held(listener, until, move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move {
            let _busy = Busy::new(&endpoint.shared);
            endpoint.answer(request).await
        }
    });
    (handle, activity)
}

/// Returns an unguessable path for [`serve_mcp`].
///
/// # Errors
///
/// Returns an error if the system provides no random numbers.
pub fn random_path() -> std::io::Result<String> {
    let id = random_id().map_err(std::io::Error::from)?;
    Ok(format!("/{id}/mcp"))
}

/// Activity of the clients of an address.
#[derive(Clone)]
pub struct Activity(Arc<Shared>);

impl Activity {
    /// Waits until all clients have left: each has ended its HTTP session, or no request has arrived for `idle`.
    pub async fn until_gone(&self, idle: Option<Duration>) {
        let idle = async {
            match idle {
                Some(idle) => self.until_idle(idle).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.until_left() => {}
            () = idle => {}
        }
    }

    /// Waits until each opened HTTP session has been ended by its client. Clients of 2026-07-28 or later open none.
    async fn until_left(&self) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let have_left = || {
                let state = self.0.lock();
                state.has_left && state.sessions.is_empty()
            };
            if have_left() {
                // The response to the last request may be in transit, or the client may open another HTTP session.
                self.until_idle(LINGER).await;
                if have_left() {
                    return;
                }
            }
            changed.await;
        }
    }

    /// Waits until no request is in progress and none has arrived or been answered for `timeout`.
    async fn until_idle(&self, timeout: Duration) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let since = {
                let state = self.0.lock();
                (state.busy == 0).then_some(state.last)
            };
            let deadline = since.and_then(|since| since.checked_add(timeout));
            match deadline {
                Some(deadline) => tokio::select! {
                    () = tokio::time::sleep_until(deadline) => return,
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    sessions: HashMap<String, Arc<Exchange>>,
    /// Set when a client has ended its HTTP session.
    has_left: bool,
    /// Shared stream of stateless requests.
    alone: Option<Arc<Exchange>>,
    /// Number of requests in progress.
    busy: usize,
    /// Time at which the last request arrived or was answered.
    last: Instant,
    has_ended: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            sessions: HashMap::new(),
            has_left: false,
            alone: None,
            busy: 0,
            last: Instant::now(),
            has_ended: false,
        }
    }
}

impl State {
    fn end(&mut self) {
        self.has_ended = true;
        let sessions = self.sessions.drain().map(|(_, session)| session);
        for exchange in sessions.chain(self.alone.take()) {
            exchange.close();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No foreign code runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard that counts a request as in progress.
struct Busy(Arc<Shared>);

impl Busy {
    fn new(shared: &Arc<Shared>) -> Self {
        let mut state = shared.lock();
        state.busy += 1;
        state.last = Instant::now();
        drop(state);
        shared.changed.notify_waiters();
        Self(Arc::clone(shared))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.busy -= 1;
        state.last = Instant::now();
        drop(state);
        self.0.changed.notify_waiters();
    }
}

struct Endpoint {
    path: String,
    connect: Box<dyn Fn(BoxedStream) -> ServeHandle + Send + Sync>,
    room: Room,
    shared: Arc<Shared>,
}

impl Endpoint {
    async fn answer(&self, request: HttpRequest) -> HeldResponse {
        let path = request.target.split('?').next().unwrap_or_default();
        if path != self.path {
            return plain(404, "this path does not exist").into();
        }
        match request.method.as_str() {
            "POST" => self.post(request).await,
            "DELETE" => self.delete(&request).into(),
            _ => HttpResponse {
                headers: vec![("allow", "POST, DELETE".to_owned())],
                ..plain(
                    405,
                    "send messages with POST; a stream of events is not supported",
                )
            }
            .into(),
        }
    }

    async fn post(&self, request: HttpRequest) -> HeldResponse {
        if !accepts_json(&request.accept) {
            return plain(
                406,
                "responses are JSON; accept application/json and text/event-stream",
            )
            .into();
        }
        let mut body = Vec::with_capacity(request.body.len());
        // Reading from memory cannot fail.
        let _ = SurrogateRepair::new(&request.body[..])
            .read_to_end(&mut body)
            .await;
        match lines::received(&body) {
            Received::Message(..) => {}
            Received::Refused(answer) => return json_text(400, answer).into(),
            Received::Nothing => return status(202).into(),
        }
        let Ok(message) = serde_json::from_slice::<Value>(body.trim_ascii()) else {
            return plain(400, "the body is not valid JSON").into();
        };
        if message["id"]
            .as_str()
            .is_some_and(|id| id.len() > LONGEST_ID)
        {
            let problem = format!("the id has more than {LONGEST_ID} bytes");
            return refused(400, &Value::Null, ErrorCode::INVALID_REQUEST, &problem).into();
        }
        if is_alone(&request, &message) {
            self.answer_alone(&request, message).await
        } else if message["method"] == "initialize" {
            self.open(message).await
        } else {
            self.answer_in_session(&request, message).await
        }
    }

    /// Opens an HTTP session.
    async fn open(&self, message: Value) -> HeldResponse {
        if self.shared.lock().sessions.len() >= MAX_SESSIONS {
            return plain(503, "too many sessions are open; end one with DELETE").into();
        }
        let Ok(id) = random_id() else {
            return plain(500, "cannot get random numbers from the system").into();
        };
        let exchange = self.connect();
        let Ok(answer) = exchange.ask(message, Abandoned::Cancelled).await else {
            return gone().into();
        };
        let is_open = answer.message.get("result").is_some();
        let mut held = held_response(200, answer);
        if is_open {
            held.response.headers.push((SESSION, id.clone()));
            let mut state = self.shared.lock();
            if state.has_ended {
                return gone().into();
            }
            state.sessions.insert(id, exchange);
        }
        held
    }

    async fn answer_in_session(&self, request: &HttpRequest, message: Value) -> HeldResponse {
        let version = header(request, VERSION);
        let known = |version: &str| {
            let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
            known.any(|it| it.as_str() == version)
        };
        if let Some(version) = version.filter(|version| !known(version)) {
            let problem = format!("{VERSION}: unsupported version {version:?}");
            return refused(400, &message, ErrorCode::INVALID_REQUEST, &problem).into();
        }
        let Some(id) = header(request, SESSION) else {
            let problem = "the header Mcp-Session-Id is required; open a session with initialize";
            return refused(400, &message, ErrorCode::INVALID_REQUEST, problem).into();
        };
        let Some(exchange) = self.shared.lock().sessions.get(id).cloned() else {
            let problem = "this session does not exist; open one with initialize";
            return refused(404, &message, ErrorCode::INVALID_REQUEST, problem).into();
        };
        let is_request = message.get("method").is_some() && message.get("id").is_some();
        if !is_request {
            return exchange
                .tell(message)
                .await
                .map_or_else(|Gone| gone(), |()| status(202))
                .into();
        }
        // In these versions of the protocol, a lost connection does not cancel the call.
        match exchange.ask(message, Abandoned::Finished).await {
            Ok(answer) => held_response(200, answer),
            Err(Gone) => gone().into(),
        }
    }

    /// Answers a stateless request, of version 2026-07-28 or later.
    async fn answer_alone(&self, request: &HttpRequest, message: Value) -> HeldResponse {
        if message.get("id").is_none() || message.get("method").is_none() {
            // A server without HTTP sessions ignores notifications.
            return status(202).into();
        }
        if let Err(problem) = headers_agree(request, &message) {
            return refused(400, &message, ErrorCode::HEADER_MISMATCH, &problem).into();
        }
        let is_incomplete =
            meta(&message, META_VERSION).is_none() || meta(&message, META_CAPABILITIES).is_none();
        let exchange = {
            let mut state = self.shared.lock();
            if state.has_ended {
                return gone().into();
            }
            let exchange = state.alone.get_or_insert_with(|| self.connect());
            Arc::clone(exchange)
        };
        match exchange.ask(message, Abandoned::Cancelled).await {
            Ok(answer) => held_response(status_of(&answer.message, is_incomplete), answer),
            Err(Gone) => {
                let mut state = self.shared.lock();
                // Another request may have opened a new exchange by now.
                if state
                    .alone
                    .as_ref()
                    .is_some_and(|now| Arc::ptr_eq(now, &exchange))
                {
                    state.alone = None;
                }
                gone().into()
            }
        }
    }

    fn delete(&self, request: &HttpRequest) -> HttpResponse {
        let Some(id) = header(request, SESSION) else {
            return plain(400, "the header Mcp-Session-Id is required");
        };
        let mut state = self.shared.lock();
        let ended = state.sessions.remove(id);
        state.has_left |= ended.is_some();
        drop(state);
        self.shared.changed.notify_waiters();
        match ended {
            Some(session) => {
                session.close();
                status(204)
            }
            None => plain(404, "this session does not exist"),
        }
    }

    fn connect(&self) -> Arc<Exchange> {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        // The task ends when the near end is dropped.
        let _served = (self.connect)(Box::new(far));
        Arc::new(Exchange::new(Box::new(near), self.room.clone()))
    }
}

/// Reports whether a message is a stateless request, of version 2026-07-28 or later.
fn is_alone(request: &HttpRequest, message: &Value) -> bool {
    let is_late = |version: &str| version >= ProtocolVersion::NO_INITIALIZE.as_str();
    match message["method"].as_str() {
        Some("initialize") => false,
        Some("server/discover") => true,
        _ => {
            let named = meta(message, META_VERSION).and_then(Value::as_str);
            let in_session = header(request, SESSION).is_some();
            named.is_some_and(is_late)
                || (!in_session && header(request, VERSION).is_some_and(is_late))
        }
    }
}

fn meta<'a>(message: &'a Value, key: &str) -> Option<&'a Value> {
    message.get("params")?.get("_meta")?.get(key)
}

/// Checks that the headers of a request match its body.
fn headers_agree(request: &HttpRequest, message: &Value) -> Result<(), String> {
    let version = header(request, VERSION);
    let named = meta(message, META_VERSION).and_then(Value::as_str);
    if named.is_some() && version != named {
        return Err(format!(
            "the header MCP-Protocol-Version is {version:?}, but the version of the request is {named:?}"
        ));
    }
    let method = message["method"].as_str();
    let said = header(request, METHOD);
    if said != method {
        return Err(format!(
            "the header Mcp-Method is {said:?}, but the method of the request is {method:?}"
        ));
    }
    if matches!(method, Some("tools/call" | "prompts/get")) {
        let name = message["params"]["name"].as_str();
        let said = header(request, NAME).map(decoded);
        if said.as_deref() != name {
            return Err(format!(
                "the header Mcp-Name is {said:?}, but the name in the request is {name:?}"
            ));
        }
    }
    Ok(())
}

/// Decodes the value of a header. Names that a header cannot contain are sent in base64.
fn decoded(value: &str) -> String {
    let inner = value.strip_prefix("=?base64?");
    let inner = inner.and_then(|value| value.strip_suffix("?="));
    let bytes = inner.and_then(|inner| BASE64_STANDARD.decode(inner).ok());
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_else(|| value.to_owned())
}

/// Returns the HTTP status of a response to a stateless request.
fn status_of(answer: &Value, is_incomplete: bool) -> u16 {
    let Some(code) = answer["error"]["code"].as_i64() else {
        return 200;
    };
    let is = |known: ErrorCode| code == i64::from(known.0);
    if is(ErrorCode::METHOD_NOT_FOUND) {
        404
    } else if is(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION)
        || is(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY)
        || (is(ErrorCode::INVALID_PARAMS) && is_incomplete)
    {
        400
    } else {
        200
    }
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers.get(name)?.to_str().ok()
}

/// Reports whether a client accepts JSON. An absent header accepts any type.
fn accepts_json(accept: &str) -> bool {
    let mut kinds = accept
        .split(',')
        .map(|kind| kind.split(';').next().unwrap_or_default().trim());
    accept.trim().is_empty()
        || kinds.any(|kind| {
            ["application/json", "application/*", "*/*"]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(kind))
        })
}

/// Returns an unguessable id.
fn random_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

fn gone() -> HttpResponse {
    plain(404, "the session has ended")
}

fn status(status: u16) -> HttpResponse {
    HttpResponse {
        status,
        ..HttpResponse::default()
    }
}

fn plain(status: u16, words: &str) -> HttpResponse {
    HttpResponse {
        status,
        headers: vec![("content-type", "text/plain; charset=utf-8".to_owned())],
        body: words.as_bytes().to_vec(),
    }
}

fn refused(status: u16, message: &Value, code: ErrorCode, problem: &str) -> HttpResponse {
    let error = json!({"code": code.0, "message": problem});
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
    json_response(status, &answer)
}

fn held_response(status: u16, answer: Answer) -> HeldResponse {
    let Answer { message, room } = answer;
    let response = json_response(status, &message);
    HeldResponse { response, room }
}

fn json_response(status: u16, value: &Value) -> HttpResponse {
    json_text(status, value.to_string().into_bytes())
}

fn json_text(status: u16, body: Vec<u8>) -> HttpResponse {
    HttpResponse {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        body,
    }
}
