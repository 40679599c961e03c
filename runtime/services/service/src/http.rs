//! A service's own interface over HTTP, on loopback: what a client of the real service speaks.
//!
//! The server knows nothing of the interface. It reads a request whole, hands it over and writes
//! the answer back.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::ServeHandle;

/// The longest body of a request, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// Connections that are served at once; others wait.
const MOST_CONNECTIONS: usize = 64;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request, read whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The path with the query, percent-encoded as it came.
    pub target: String,
    /// Scheme and host as the client names them, without a slash at the end: where links in an answer begin.
    pub origin: String,
    /// The header `Accept`; empty where it is absent.
    pub accept: String,
    /// The header `If-None-Match`; empty where it is absent.
    pub if_none_match: String,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status, such as 200.
    pub status: u16,
    /// The headers, by their names in lower case; the length of the body is not among them.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Answers requests on a listener until the handle is aborted. `answer` may be called several times at once.
///
/// A request whose `Host` is another than this machine is refused with 421: a page in a browser could otherwise
/// reach the server under a name of its own.
///
/// # Panics
/// Outside a Tokio runtime.
pub fn serve_http<A, F>(listener: TcpListener, answer: A) -> ServeHandle
where
    A: Fn(HttpRequest) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = HttpResponse> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    ServeHandle::new(tokio::spawn(async move {
        // Connections end with the task that accepts them.
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                return Ok(());
            };
            while connections.try_join_next().is_some() {}
            // One that fails before it is there leaves the others alone.
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            };
            let answer = answer.clone();
            connections.spawn(async move {
                let _place = place;
                let service = service_fn(move |request| {
                    let answer = answer.clone();
                    async move { Ok::<_, Infallible>(respond(request, answer).await) }
                });
                // What goes wrong on a connection is its client's alone.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(PATIENCE)
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    }))
}

async fn respond<A, F>(request: Request<Incoming>, answer: A) -> Response<Full<Bytes>>
where
    A: Fn(HttpRequest) -> F,
    F: Future<Output = HttpResponse>,
{
    let (parts, body) = request.into_parts();
    let Some(host) = own_host(&parts.headers) else {
        return plain(StatusCode::MISDIRECTED_REQUEST, "this is another host");
    };
    let read = Limited::new(body, MAX_BODY_BYTES).collect();
    let body = match tokio::time::timeout(PATIENCE, read).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
        }
        Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "the body cannot be read"),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body does not come"),
    };
    let target = parts.uri.path_and_query();
    let given = answer(HttpRequest {
        method: parts.method.as_str().to_owned(),
        target: target.map_or("/", |target| target.as_str()).to_owned(),
        origin: format!("http://{host}"),
        accept: text(&parts.headers, ACCEPT),
        if_none_match: text(&parts.headers, IF_NONE_MATCH),
        body: body.into(),
    })
    .await;
    let length = given.body.len();
    let mut response = Response::new(Full::from(given.body));
    *response.status_mut() =
        StatusCode::from_u16(given.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in given.headers {
        // What an agent wrote may stand in a header, and need not be fit for one.
        if let Ok(value) = HeaderValue::from_str(&value) {
            response
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
    }
    if parts.method == hyper::Method::HEAD {
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

/// The host that a request is for, where it is this machine.
fn own_host(headers: &HeaderMap) -> Option<String> {
    // Where two are named, one is for others than this server.
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

fn plain(status: StatusCode, words: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(words));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
