//! HTTP server on loopback for the native interface of a service, such as the REST API of GitHub.
//!
//! The server does not know the interface. It reads a complete request, passes it to a handler, and writes the
//! response.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
    ORIGIN,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ServeHandle;
use crate::write_timeout::WriteTimeout;

/// Maximum size of a request body, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// Maximum number of concurrent connections. Further connections wait.
const MAX_CONNECTIONS: usize = 64;
/// Budget for the bodies of all requests in progress, in KiB. Further bodies are not read until it has room.
const BODY_ROOM: usize = 2 * (MAX_BODY_BYTES >> 10);
/// Maximum number of responses in progress or unwritten. Further requests wait.
const MAX_ANSWERS: usize = 8;
/// Header in which browsers declare the origin of a request: `cross-site`, `same-site`, `same-origin`, or `none` for a
/// navigation by the user.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Timeout for receiving a request, and for a client that does not read the response.
const PATIENCE: Duration = Duration::from_secs(30);

/// Complete HTTP request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// Method, such as `GET`.
    pub method: String,
    /// Path and query, percent-encoded as received.
    pub target: String,
    /// Scheme and host as the client names them, without a trailing slash. Links in a response begin with it.
    pub origin: String,
    /// Header `Accept`, or an empty string if it is absent.
    pub accept: String,
    /// Header `If-None-Match`, or an empty string if it is absent.
    pub if_none_match: String,
    /// All headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Vec<u8>,
}

/// HTTP response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code, such as 200.
    pub status: u16,
    /// Headers with names in lower case, without `content-length`.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Vec<u8>,
}

/// Response with a permit that is released when the client has read the response.
#[derive(Debug)]
pub(crate) struct HeldResponse {
    pub(crate) response: HttpResponse,
    pub(crate) room: Option<OwnedSemaphorePermit>,
}

impl From<HttpResponse> for HeldResponse {
    fn from(response: HttpResponse) -> Self {
        let room = None;
        Self { response, room }
    }
}

/// Body of a response. The server drops it, and so releases the permit, when it is completely written.
struct HeldBody {
    body: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// Serves HTTP requests on a listener until the handle is aborted or `until` completes; then all connections are
/// closed. `answer` may be called concurrently.
///
/// A request is refused with 421 if its `Host` is not this machine, because a page in a browser could otherwise reach
/// the server under a name of its own (DNS rebinding). For the same reason a request from a page of another site (by
/// `Origin` or `Sec-Fetch-Site`) is refused with 403, and a body of a type that any page may send without a CORS
/// preflight (plain text or a form) with 415. No response permits pages to read it.
///
/// # Panics
/// Panics if called outside a Tokio runtime.
pub fn serve_http<U, A, F>(listener: TcpListener, until: U, answer: A) -> ServeHandle
where
    U: Future<Output = ()> + Send + 'static,
    A: Fn(HttpRequest) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = HttpResponse> + Send + 'static,
{
    let answers = Arc::new(Semaphore::new(MAX_ANSWERS));
    serve_held(listener, until, move |request| {
        let (answer, answers) = (answer.clone(), Arc::clone(&answers));
        async move {
            // The semaphore is never closed.
            let room = answers.acquire_owned().await.ok();
            let response = answer(request).await;
            HeldResponse { response, room }
        }
    })
}

/// Serves like [`serve_http`], with responses that hold a permit until the client has read them.
pub(crate) fn serve_held<U, A, F>(listener: TcpListener, until: U, answer: A) -> ServeHandle
where
    U: Future<Output = ()> + Send + 'static,
    A: Fn(HttpRequest) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = HeldResponse> + Send + 'static,
{
    serve_patiently(listener, until, PATIENCE, answer)
}

/// Serves like [`serve_held`], with `timeout` as the timeout for receiving a request and for an unread response.
fn serve_patiently<U, A, F>(
    listener: TcpListener,
    until: U,
    timeout: Duration,
    answer: A,
) -> ServeHandle
where
    U: Future<Output = ()> + Send + 'static,
    A: Fn(HttpRequest) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = HeldResponse> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let bodies = Arc::new(Semaphore::new(BODY_ROOM));
    let accepting = async move {
        // Dropping the set, together with this task, closes all connections.
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            // A connection that fails before it is accepted must not affect the others.
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            let (answer, bodies) = (answer.clone(), Arc::clone(&bodies));
            connections.spawn(async move {
                let _place = place;
                let service = service_fn(move |request| {
                    let (answer, bodies) = (answer.clone(), Arc::clone(&bodies));
                    async move {
                        Ok::<_, Infallible>(respond(request, answer, &bodies, timeout).await)
                    }
                });
                // An error on a connection concerns only its client.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(timeout)
                    .serve_connection(TokioIo::new(WriteTimeout::new(stream, timeout)), service)
                    .await;
            });
        }
    };
    ServeHandle::new(tokio::spawn(async move {
        tokio::select! {
            () = accepting => {}
            () = until => {}
        }
        Ok(())
    }))
}

async fn respond<A, F>(
    request: Request<Incoming>,
    answer: A,
    bodies: &Semaphore,
    timeout: Duration,
) -> Response<Full<Bytes>>
where
    A: Fn(HttpRequest) -> F,
    F: Future<Output = HeldResponse>,
{
    let (parts, body) = request.into_parts();
    let Some(host) = own_host(&parts.headers) else {
        return plain(
            StatusCode::MISDIRECTED_REQUEST,
            "the Host header does not name this machine",
        );
    };
    if is_of_another_site(&parts.headers, &host) {
        let problem = "requests from web pages of other sites are refused; send it from a program";
        return plain(StatusCode::FORBIDDEN, problem);
    }
    // A body of unknown length counts with the maximum length.
    let expected = body.size_hint().upper().unwrap_or(u64::MAX);
    let expected = expected.div_ceil(1024).min(MAX_BODY_BYTES as u64 >> 10);
    let _held = bodies.acquire_many(expected as u32).await;
    let read = Limited::new(body, MAX_BODY_BYTES).collect();
    let body = match tokio::time::timeout(timeout, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
        }
        Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "cannot read the body"),
        Err(_) => {
            return plain(
                StatusCode::REQUEST_TIMEOUT,
                "the body did not arrive in time",
            );
        }
    };
    // Some clients send an empty body with the type `text/plain`.
    if writes(&parts.method) && !body.is_empty() && is_of_a_form(&parts.headers) {
        let problem =
            "the body of a request must be JSON; send it with Content-Type: application/json";
        return plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem);
    }
    let target = parts.uri.path_and_query();
    let HeldResponse {
        response: given,
        room,
    } = answer(HttpRequest {
        method: parts.method.as_str().to_owned(),
        target: target.map_or("/", |target| target.as_str()).to_owned(),
        origin: format!("http://{host}"),
        accept: text(&parts.headers, ACCEPT),
        if_none_match: text(&parts.headers, IF_NONE_MATCH),
        headers: parts.headers,
        body: body.into(),
    })
    .await;
    let length = given.body.len();
    let body = HeldBody {
        body: given.body,
        _room: room,
    };
    let mut response = Response::new(Full::new(Bytes::from_owner(body)));
    *response.status_mut() =
        StatusCode::from_u16(given.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in given.headers {
        // A header may contain text that an agent wrote, which may be invalid in a header.
        if let Ok(value) = HeaderValue::from_str(&value) {
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
    }
    if parts.method == Method::HEAD {
        response
            .headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
        *response.body_mut() = Full::default();
    }
    response
}

fn text(headers: &HeaderMap, name: HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// Returns the host of the request if it is this machine.
fn own_host(headers: &HeaderMap) -> Option<String> {
    // With several `Host` headers, at least one is for another server.
    if headers.get_all(HOST).iter().count() != 1 {
        return None;
    }
    let host = text(headers, HOST);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host.as_str(),
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let own = name == "localhost"
        || name.ends_with(".localhost")
        || address
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    own.then_some(host)
}

/// Reports whether the request comes from a page of another site. Programs send neither header.
fn is_of_another_site(headers: &HeaderMap, host: &str) -> bool {
    let own = format!("http://{host}");
    let mut origins = headers.get_all(ORIGIN).iter();
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    origins.any(|origin| !origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()))
        || sites.any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"))
}

fn writes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Reports whether the body has a type that a page may send to another site without a CORS preflight. A body without a
/// type does not count: clients of GitHub may omit the type. Browsers omit it only if the page set none on the body,
/// and requests from pages are already refused by their origin.
fn is_of_a_form(headers: &HeaderMap) -> bool {
    const KINDS: [&str; 3] = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ];
    let mut given = headers.get_all(CONTENT_TYPE).iter();
    given.any(|kind| {
        // A value that is not text cannot declare JSON.
        let Ok(kind) = kind.to_str() else { return true };
        let essence = kind.split([';', ',']).next().unwrap_or_default().trim();
        KINDS.iter().any(|it| it.eq_ignore_ascii_case(essence))
    })
}

fn plain(status: StatusCode, words: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(words));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::sync::Notify;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);
    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    #[test]
    fn only_this_machine_is_answered_for() {
        let host = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(text).unwrap());
            own_host(&headers)
        };
        for own in [
            "localhost",
            "localhost:80",
            "127.0.0.1:8080",
            "[::1]:80",
            "git.localhost",
        ] {
            assert_eq!(host(own), Some(own.to_owned()));
        }
        for other in ["example.org", "localhost.example.org:80", "10.0.0.1", ""] {
            assert_eq!(host(other), None, "{other}");
        }
    }

    #[tokio::test]
    async fn requests_wait_for_the_memory_of_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = serve_http(listener, std::future::pending(), |request| async move {
            HttpResponse {
                status: 200,
                body: request.body,
                ..HttpResponse::default()
            }
        });
        let send = async |length: usize, body: &[u8]| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = format!(
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                 Connection: close\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(body).await.unwrap();
            stream
        };
        let answer = async |mut stream: TcpStream| {
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            answer
        };
        assert!(answer(send(2, b"{}").await).await.ends_with("{}"));
        // Two unread bodies take the whole budget, and a third request waits.
        let first = send(MAX_BODY_BYTES, b"{").await;
        let second = send(MAX_BODY_BYTES, b"{").await;
        for connection in [&first, &second] {
            connection.writable().await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let third = tokio::spawn(answer(send(2, b"{}").await));
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!third.is_finished());
        drop(first);
        assert!(third.await.unwrap().ends_with("{}"));
        drop(second);
        served.abort();
    }

    #[tokio::test]
    async fn a_client_that_does_not_send_its_request_is_hung_up_on() {
        const SOON: Duration = Duration::from_millis(50);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = serve_patiently(listener, std::future::pending(), SOON, |_| async {
            HttpResponse::default().into()
        });
        for (sent, answered) in [
            (&b""[..], ""),
            (b"GET / HTT", ""),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\n", ""),
            (
                b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\n{",
                "HTTP/1.1 408 Request Timeout\r\n",
            ),
        ] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(sent).await.unwrap();
            let mut answer = String::new();
            let ended = tokio::time::timeout(MINUTE, stream.read_to_string(&mut answer)).await;
            ended.expect("the connection is open").unwrap();
            assert!(answer.starts_with(answered), "{sent:?}: {answer}");
            assert_eq!(answer.is_empty(), answered.is_empty(), "{sent:?}: {answer}");
        }
        served.abort();
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_of_its_answer_is_hung_up_on() {
        const SOON: Duration = Duration::from_millis(50);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // Single permit for a response.
        let room = Arc::new(Semaphore::new(1));
        let given = Arc::clone(&room);
        let served = serve_patiently(listener, std::future::pending(), SOON, move |_| {
            let given = Arc::clone(&given);
            async move {
                let response = HttpResponse {
                    status: 200,
                    body: vec![b'.'; 32 << 20],
                    ..HttpResponse::default()
                };
                let room = given.acquire_owned().await.ok();
                HeldResponse { response, room }
            }
        });
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(GET).await.unwrap();
        // Reading the head ensures that the permit is taken.
        stream.read_exact(&mut [0; 8]).await.unwrap();
        let given_back = tokio::time::timeout(MINUTE, room.acquire()).await;
        assert!(given_back.is_ok(), "the answer still holds its room");
        served.abort();
    }

    #[tokio::test]
    async fn a_body_beyond_the_limit_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = serve_http(listener, std::future::pending(), |_| async {
            HttpResponse::default()
        });
        let mut stream = TcpStream::connect(address).await.unwrap();
        let length = MAX_BODY_BYTES + 1;
        let head = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&vec![b' '; length]).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.ends_with("the body is too long"), "{answer}");
        served.abort();
    }

    #[tokio::test]
    async fn answers_that_are_made_or_unread_are_bounded() {
        // More than the buffers of a connection can hold.
        const BYTES: usize = 32 << 20;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let begun = Arc::new(AtomicUsize::new(0));
        let (begins, go_on) = (Arc::clone(&begun), Arc::new(Notify::new()));
        let goes_on = Arc::clone(&go_on);
        let served = serve_http(listener, std::future::pending(), move |_| {
            let (begins, goes_on) = (Arc::clone(&begins), Arc::clone(&goes_on));
            async move {
                begins.fetch_add(1, Ordering::SeqCst);
                goes_on.notified().await;
                HttpResponse {
                    status: 200,
                    body: vec![b'.'; BYTES],
                    ..HttpResponse::default()
                }
            }
        });
        let mut clients = Vec::new();
        for _ in 0..=MAX_ANSWERS {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(GET).await.unwrap();
            clients.push(stream);
        }
        let settle = async || tokio::time::sleep(Duration::from_millis(200)).await;
        let until_begun = async |least: usize| {
            let waiting = async {
                while begun.load(Ordering::SeqCst) < least {
                    settle().await;
                }
            };
            let begun = tokio::time::timeout(MINUTE, waiting).await;
            begun.expect("the requests are answered");
        };
        until_begun(MAX_ANSWERS).await;
        settle().await;
        assert_eq!(
            begun.load(Ordering::SeqCst),
            MAX_ANSWERS,
            "while they are made"
        );
        for _ in 0..MAX_ANSWERS {
            go_on.notify_one();
            tokio::task::yield_now().await;
        }
        settle().await;
        assert_eq!(
            begun.load(Ordering::SeqCst),
            MAX_ANSWERS,
            "while none is read"
        );
        // Reading a response releases a permit for the last request.
        let mut reading = tokio::task::JoinSet::new();
        for mut client in clients {
            reading.spawn(async move {
                let mut answer = Vec::new();
                client.read_to_end(&mut answer).await.map(|_| answer.len())
            });
        }
        until_begun(MAX_ANSWERS + 1).await;
        go_on.notify_one();
        for read in reading.join_all().await {
            assert!(read.unwrap() > BYTES);
        }
        served.abort();
    }

    #[tokio::test]
    async fn connections_end_with_what_they_serve() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let (begins, begun) = tokio::sync::mpsc::channel(1);
        let until = async move {
            let _ = ended.await;
        };
        let served = serve_http(listener, until, move |_| {
            let begins = begins.clone();
            async move {
                let _ = begins.send(()).await;
                std::future::pending::<HttpResponse>().await
            }
        });
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut begun = begun;
        begun.recv().await.unwrap();
        drop(end);
        served.join().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.is_empty());
        assert!(TcpStream::connect(address).await.is_err());
    }
}
