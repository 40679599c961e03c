//! HTTP server of the sites: on a Unix socket to which only the browser of one session has access, or on loopback.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use mcpmark_service::{BoxedStream, SessionLimits, WorldState};
use mcpmark_snapshot::{Store, Tree};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::live::Sites;
use super::message::{self, Received};
use super::site::{Site, SiteResponse};
use super::world::WorldError;

/// Maximum number of connections. Further connections wait.
const MAX_CONNECTIONS: usize = 128;
/// Maximum number of requests whose bodies are in memory. Further requests wait.
const MAX_REQUESTS: usize = 8;
/// Maximum size of the body of a request, in bytes.
const MAX_BODY_BYTES: usize = 16 << 20;
/// Time limit for receiving a request.
const RECEIVE_LIMIT: Duration = Duration::from_secs(30);
/// Pause after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Sites of a world that are served without a browser of their own, for the browser of a person or of another program.
///
/// The name of the site is in the header `Host`, so the browser must resolve the names of the world to the listener.
#[derive(Debug)]
pub struct ServedSites {
    sites: Sites,
    start: Tree,
    store: Arc<Store>,
    limits: SessionLimits,
    serving: JoinHandle<()>,
}

impl ServedSites {
    /// Serves the sites of a world until this is dropped. `guest` answers the requests of all sites with tables.
    ///
    /// # Errors
    ///
    /// Returns an error if the world is invalid.
    ///
    /// # Panics
    ///
    /// Panics if called outside a Tokio runtime.
    pub fn start(
        world: WorldState,
        guest: Option<&Arc<dyn Site>>,
        listener: TcpListener,
    ) -> Result<Self, WorldError> {
        let sites = Sites::load(&world, guest)?;
        Ok(Self {
            serving: serve(SitesListener::Tcp(listener), sites.clone()),
            sites,
            start: world.tree,
            store: world.store,
            limits: world.limits,
        })
    }

    /// Captures the state, with the address of the browser.
    ///
    /// # Errors
    ///
    /// Returns an error if the state exceeds the limits of the world or cannot be stored.
    pub fn capture(&self, address: Option<&str>) -> Result<Tree, WorldError> {
        self.sites
            .capture(&self.start, &self.store, &self.limits, address)
    }
}

impl Drop for ServedSites {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Listener of sites.
#[derive(Debug)]
pub(crate) enum SitesListener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl SitesListener {
    async fn accept(&self) -> io::Result<BoxedStream> {
        Ok(match self {
            Self::Unix(listener) => Box::new(listener.accept().await?.0),
            Self::Tcp(listener) => Box::new(listener.accept().await?.0),
        })
    }
}

/// Serves the sites until the task is aborted, which closes all connections.
pub(crate) fn serve(listener: SitesListener, sites: Sites) -> JoinHandle<()> {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let requests = Arc::new(Semaphore::new(MAX_REQUESTS));
    tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            let Ok(stream) = listener.accept().await else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            let (sites, requests) = (sites.clone(), Arc::clone(&requests));
            connections.spawn(async move {
                let _place = place;
                let service = service_fn(move |request| {
                    let (sites, requests) = (sites.clone(), Arc::clone(&requests));
                    async move {
                        let _request = requests.acquire().await;
                        Ok::<_, Infallible>(respond(request, sites).await)
                    }
                });
                // An error of a connection concerns only its client. The date would be that of the machine.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(RECEIVE_LIMIT)
                    .auto_date_header(false)
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    })
}

async fn respond(request: Request<Incoming>, sites: Sites) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let read = Limited::new(body, MAX_BODY_BYTES).collect();
    let body = match tokio::time::timeout(RECEIVE_LIMIT, read).await {
        Ok(Ok(body)) => body.to_bytes().to_vec(),
        Ok(Err(_)) => return encode(message::error(413, "The request is too large.")),
        Err(_) => return encode(message::error(408, "The request did not arrive in time.")),
    };
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let received = Received {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: &query,
        headers: &parts.headers,
        body,
    };
    let request = match received.request() {
        Ok(request) => request,
        Err(problem) => return encode(message::error(400, problem)),
    };
    let answered = tokio::task::spawn_blocking(move || sites.answer(request, &query)).await;
    encode(answered.unwrap_or_else(|_| message::error(500, "The site has failed.")))
}

fn encode(given: SiteResponse) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(given.body)));
    *response.status_mut() =
        StatusCode::from_u16(given.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in given.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(&value);
        // Checked when the site returned them.
        if let (Ok(name), Ok(value)) = (name, value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
