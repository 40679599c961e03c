//! The contract between services and whoever runs them.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_snapshot::{Snapshot, Tree};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{Calls, Introduction, StuckCall, WorldState};

/// A kind of world that agents act on, such as `filesystem`.
#[async_trait]
pub trait Service: Send + Sync {
    /// The name of the service, as tasks and the command line write it.
    fn name(&self) -> &'static str;

    /// The versions of the published server that a world can be served as; the first is the
    /// default.
    fn profiles(&self) -> &'static [&'static str];

    /// The names of the tools that every world of a profile has; of the default one where none is
    /// named or known.
    fn tools(&self, profile: Option<&str>) -> Vec<String>;

    /// Checks the name of a profile.
    fn check_profile(&self, profile: &str) -> Result<(), ServiceError> {
        let known = self.profiles();
        if known.contains(&profile) {
            return Ok(());
        }
        Err(ServiceError::UnknownProfile {
            service: self.name(),
            profile: profile.to_owned(),
            known,
        })
    }

    /// Checks a final state that somebody hands over to be graded: that it could be one of this
    /// service. What a session captured needs no check.
    fn check_state(&self, _state: &Snapshot, _scratch: &Path) -> Result<(), ServiceError> {
        Ok(())
    }

    /// A captured state with what programs that work in its directory expect beside it, such as the index of a
    /// clone. The state itself, and so its digest, is without that.
    ///
    /// # Errors
    ///
    /// When the state cannot be read.
    fn exported(&self, state: &Snapshot, _scratch: &Path) -> Result<Snapshot, ServiceError> {
        Ok(state.clone())
    }

    /// A state that was read from a directory, without what [`exported`](Self::exported) adds.
    fn as_captured(&self, tree: Tree) -> Tree {
        tree
    }

    /// Sets up a private copy of the world.
    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError>;
}

/// One world in use.
#[async_trait]
pub trait Session: Send + Sync {
    /// Serves MCP on a byte stream until the peer closes it.
    ///
    /// Any number of streams may be served at once; calls run one at a time. Must be called
    /// within a Tokio runtime.
    fn serve(&self, io: BoxedStream) -> ServeHandle;

    /// Adds an introduction to what the server says of itself to clients that connect from now on, as the published
    /// server does not. The first introduction stays.
    fn introduce(&self, _introduction: Introduction) {}

    /// Serves the service's own interface over HTTP on a listener, until the handle is aborted: on the same world,
    /// one request or tool call at a time. None where it has none.
    ///
    /// Must be called within a Tokio runtime.
    fn serve_http(&self, _listener: TcpListener) -> Option<ServeHandle> {
        None
    }

    /// The calls of this session, to end them before the state is captured; none where it keeps no account of them.
    fn calls(&self) -> Option<&Calls> {
        None
    }

    /// Captures the state as it is now; its blobs are in the store of the world.
    async fn capture(&self) -> Result<Tree, ServiceError>;

    /// Captures the final state: ends the calls first, so that one that a limit cut off changes nothing meanwhile.
    ///
    /// # Errors
    ///
    /// When a call still runs `grace` after it was cancelled, or the state cannot be captured.
    async fn finish(&self, grace: Duration) -> Result<Tree, ServiceError> {
        if let Some(calls) = self.calls() {
            calls.end(grace).await?;
        }
        self.capture().await
    }

    /// Ends the session and removes the private copy.
    async fn close(self: Box<Self>) -> Result<(), ServiceError>;
}

/// Both directions of a byte stream.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// A byte stream that carries MCP: an in-process pipe, standard input and output, a socket.
pub type BoxedStream = Box<dyn ByteStream>;

/// A connection that is being served.
#[must_use = "the connection is served whether or not this is awaited, but its failure is lost"]
pub struct ServeHandle(JoinHandle<Result<(), ServiceError>>);

impl ServeHandle {
    /// Wraps the task that serves a connection.
    pub fn new(task: JoinHandle<Result<(), ServiceError>>) -> Self {
        Self(task)
    }

    /// Waits until the peer has closed the connection.
    pub async fn join(self) -> Result<(), ServiceError> {
        match self.0.await {
            Ok(result) => result,
            Err(error) => Err(ServiceError::Stopped(error.to_string())),
        }
    }

    /// Drops the connection without waiting for the peer.
    pub fn abort(&self) {
        self.0.abort();
    }
}

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a service could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The private copy of the world could not be made.
    #[error("cannot set up the {service} world")]
    SetUp {
        /// The service.
        service: &'static str,
        /// What failed.
        source: Source,
    },
    /// What the world holds is not what the service needs.
    #[error("the {service} world is not valid")]
    InvalidWorld {
        /// The service.
        service: &'static str,
        /// What is wrong, with the file and the place in it.
        source: Source,
    },
    /// The service has no such profile.
    #[error(
        "unknown profile {profile:?}; the {service} service has {known}",
        known = known.join(", ")
    )]
    UnknownProfile {
        /// The service.
        service: &'static str,
        /// What was asked for.
        profile: String,
        /// What there is.
        known: &'static [&'static str],
    },
    /// The state could not be captured.
    #[error("cannot capture the {service} world")]
    Capture {
        /// The service.
        service: &'static str,
        /// What failed.
        source: Source,
    },
    /// The private copy could not be removed.
    #[error("cannot remove the private copy of the {service} world")]
    Remove {
        /// The service.
        service: &'static str,
        /// What failed.
        source: Source,
    },
    /// An MCP connection could not be set up.
    #[error("mcp handshake failed: {0}")]
    Handshake(String),
    /// A tool call was cancelled and goes on.
    #[error(transparent)]
    Stuck(#[from] StuckCall),
    /// The session has been closed.
    #[error("the session is closed")]
    Closed,
    /// A task of the session ended abnormally.
    #[error("the session stopped: {0}")]
    Stopped(String),
}

impl ServiceError {
    /// The error for a world that cannot be set up.
    pub fn set_up(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::SetUp { service, source }
    }

    /// The error for a world that holds something else than the service needs.
    pub fn invalid_world(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::InvalidWorld { service, source }
    }

    /// The error for a state that cannot be captured.
    pub fn capture(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::Capture { service, source }
    }

    /// The error for a private copy that cannot be removed.
    pub fn remove(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::Remove { service, source }
    }
}
