//! Traits and errors of services and sessions.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_snapshot::{Snapshot, Tree};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::{Calls, Introduction, StuckCall, WorldState};

/// Kind of world that agents act on, such as `filesystem`.
#[async_trait]
pub trait Service: Send + Sync {
    /// Returns the name of the service, as written in tasks and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the versions of the published server that a session can reproduce. The first one is the default.
    fn profiles(&self) -> &'static [&'static str];

    /// Returns the names of the tools that every world of a profile has. The default profile is used if `profile` is
    /// absent or unknown.
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

    /// Checks that a final state that was handed in for grading can be a state of this service. States that a session
    /// captured need no check.
    fn check_state(&self, _state: &Snapshot, _scratch: &Path) -> Result<(), ServiceError> {
        Ok(())
    }

    /// Returns a captured state with additional files that programs in its directory expect, such as the index of a
    /// clone. The state itself, and so its digest, does not contain these files.
    ///
    /// # Errors
    ///
    /// Returns an error if the state cannot be read.
    fn exported(&self, state: &Snapshot, _scratch: &Path) -> Result<Snapshot, ServiceError> {
        Ok(state.clone())
    }

    /// Removes the files that [`exported`](Self::exported) adds from a state that was read from a directory.
    fn as_captured(&self, tree: Tree) -> Tree {
        tree
    }

    /// Opens a session over a private copy of the world.
    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError>;
}

/// Opened world.
#[async_trait]
pub trait Session: Send + Sync {
    /// Serves MCP on a byte stream until the peer closes it.
    ///
    /// Several streams may be served at once; calls run one at a time. Must be called within a Tokio runtime.
    fn serve(&self, io: BoxedStream) -> ServeHandle;

    /// Sets an introduction, which the published server does not have, for clients that connect later. A second
    /// introduction is ignored.
    fn introduce(&self, _introduction: Introduction) {}

    /// Serves the native HTTP interface of the service on a listener until the handle is aborted. It acts on the same
    /// world, and requests and tool calls run one at a time. Returns `None` if the service has no such interface.
    ///
    /// Must be called within a Tokio runtime.
    fn serve_http(&self, _listener: TcpListener) -> Option<ServeHandle> {
        None
    }

    /// Returns the calls of this session, so that they can be ended before the state is captured. Returns `None` if the
    /// session does not track calls.
    fn calls(&self) -> Option<&Calls> {
        None
    }

    /// Captures the current state. Its blobs are written to the store of the world.
    async fn capture(&self) -> Result<Tree, ServiceError>;

    /// Captures the final state. Ends the calls first, so that a call that a limit interrupted cannot change the world
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// Returns an error if a call still runs `grace` after its cancellation, or if the state cannot be captured.
    async fn finish(&self, grace: Duration) -> Result<Tree, ServiceError> {
        if let Some(calls) = self.calls() {
            calls.end(grace).await?;
        }
        self.capture().await
    }

    /// Ends the session and removes the private copy.
    async fn close(self: Box<Self>) -> Result<(), ServiceError>;
}

/// Bidirectional byte stream.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// Byte stream that carries MCP, such as an in-process pipe, standard input and output, or a socket.
pub type BoxedStream = Box<dyn ByteStream>;

/// Handle of a served connection or listener.
#[must_use = "the connection is served whether or not this is awaited, but its failure is lost"]
pub struct ServeHandle(JoinHandle<Result<(), ServiceError>>);

impl ServeHandle {
    /// Creates a handle from the task that serves the connection.
    pub fn new(task: JoinHandle<Result<(), ServiceError>>) -> Self {
        Self(task)
    }

    /// Waits until the task ends, for example because the peer has closed the connection.
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

/// Error of a service or session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// Error of making the private copy of the world.
    #[error("cannot set up the {service} world")]
    SetUp {
        /// Name of the service.
        service: &'static str,
        /// Cause.
        source: Source,
    },
    /// Content of the world that is invalid for the service.
    #[error("the {service} world is not valid")]
    InvalidWorld {
        /// Name of the service.
        service: &'static str,
        /// Problem, with the file and the position in it.
        source: Source,
    },
    /// Unknown profile.
    #[error(
        "unknown profile {profile:?} of the {service} service; expected one of {known}",
        known = known.join(", ")
    )]
    UnknownProfile {
        /// Name of the service.
        service: &'static str,
        /// Requested profile.
        profile: String,
        /// Known profiles.
        known: &'static [&'static str],
    },
    /// Error of capturing the state.
    #[error("cannot capture the {service} world")]
    Capture {
        /// Name of the service.
        service: &'static str,
        /// Cause.
        source: Source,
    },
    /// Error of removing the private copy.
    #[error("cannot remove the private copy of the {service} world")]
    Remove {
        /// Name of the service.
        service: &'static str,
        /// Cause.
        source: Source,
    },
    /// Error of an MCP handshake.
    #[error("mcp handshake failed: {0}")]
    Handshake(String),
    /// Tool call that continues after its cancellation.
    #[error(transparent)]
    Stuck(#[from] StuckCall),
    /// Closed session.
    #[error("the session is closed")]
    Closed,
    /// Task of the session that ended abnormally.
    #[error("the session stopped: {0}")]
    Stopped(String),
}

impl ServiceError {
    /// Creates the error of a world that cannot be set up.
    pub fn set_up(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::SetUp { service, source }
    }

    /// Creates the error of a world whose content is invalid for the service.
    pub fn invalid_world(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::InvalidWorld { service, source }
    }

    /// Creates the error of a state that cannot be captured.
    pub fn capture(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::Capture { service, source }
    }

    /// Creates the error of a private copy that cannot be removed.
    pub fn remove(service: &'static str, source: impl Into<Source>) -> Self {
        let source = source.into();
        Self::Remove { service, source }
    }
}
