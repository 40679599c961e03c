//! Third-party MCP servers, whose tools are added to the tools of the world.
//!
//! A [`ServerSpec`] names the transport: a program that [`External::start`] starts and that speaks MCP over its
//! standard input and output, or streamable HTTP. A program is not sandboxed. Its environment contains only the
//! variables that the spec names. The values of HTTP headers come from named environment variables. These values are
//! redacted in all responses, and so are the values of a program's variables, except for `PATH` and the like and for
//! paths that exist.
//!
//! ```
//! use mcpmark_external::{ServerSpec, ServerTransport};
//!
//! let spec = ServerSpec::of(ServerTransport::Program {
//!     command: vec!["notes-server".into(), "--stdio".into()],
//!     env: vec!["PATH".into(), "NOTES_TOKEN".into()],
//! });
//! assert!(spec.allows("any_tool"));
//! ```

mod http;
mod process;
mod program;
mod proxy;
mod scrub;

use std::io;
use std::time::Duration;

use mcpmark_service::{ServiceError, ToolClient};

pub use crate::http::TransportError;
pub use crate::process::stop_programs;
pub use crate::proxy::proxy;
#[doc(no_inline)]
pub use mcpmark_server_spec::{BadSpec, HttpServer, ServerSpec, ServerTransport};

/// Maximum size of a message of a server, in bytes: a line of a program, an event, or a JSON body.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Time limit of the handshake.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// Connection to a server. A program and all processes that it has started are killed when this is dropped.
pub struct External {
    /// Name of the server in the configuration.
    pub name: String,
    /// Name and version that the server reports.
    pub identity: (String, String),
    client: ToolClient,
}

/// Errors of starting or reaching a server.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// An environment variable is not set.
    #[error("server {name}: the environment variable {variable} is not set")]
    NoVariable {
        /// Name of the server.
        name: String,
        /// Name of the variable.
        variable: String,
    },
    /// The value of an environment variable is not a valid header value.
    #[error("server {name}: the value of {variable} cannot be sent in a header")]
    NoHeader {
        /// Name of the server.
        name: String,
        /// Name of the variable.
        variable: String,
    },
    /// The program cannot be started.
    #[error("server {name}: cannot start {program}: {source}")]
    Start {
        /// Name of the server.
        name: String,
        /// The program.
        program: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The program exited before the handshake.
    #[error("server {name}: {program} exited before it responded ({how})")]
    Ended {
        /// Name of the server.
        name: String,
        /// The program.
        program: String,
        /// Exit status or signal.
        how: String,
    },
    /// The server cannot be reached over HTTP.
    #[error("server {name} at {url}: {error}")]
    Http {
        /// Name of the server.
        name: String,
        /// URL of the server.
        url: String,
        /// The cause.
        error: TransportError,
    },
    /// The HTTP client cannot be created.
    #[error("server {name}: cannot create the HTTP client: {reason}")]
    Client {
        /// Name of the server.
        name: String,
        /// The cause.
        reason: String,
    },
    /// The MCP handshake failed.
    #[error("server {name}: {source}")]
    Handshake {
        /// Name of the server.
        name: String,
        /// The cause.
        source: ServiceError,
    },
    /// The server did not complete the handshake in time.
    #[error("server {name} did not complete the handshake within {} s", HANDSHAKE.as_secs())]
    Silent {
        /// Name of the server.
        name: String,
    },
    /// The server has another version than the pinned one.
    #[error("server {name} has version {found:?}, but the configuration requires {wanted:?}")]
    Version {
        /// Name of the server.
        name: String,
        /// Version that the server reports.
        found: String,
        /// Pinned version.
        wanted: String,
    },
    /// The server lacks a tool that the configuration names.
    #[error("server {name} has no tool named {tool:?}")]
    NoTool {
        /// Name of the server.
        name: String,
        /// The tool.
        tool: String,
    },
}

/// Returns the value of a required environment variable.
fn required(
    name: &str,
    key: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, ExternalError> {
    variable(key).ok_or_else(|| ExternalError::NoVariable {
        name: name.to_owned(),
        variable: key.to_owned(),
    })
}

impl External {
    /// Checks the environment variables of a server, without starting or sending anything.
    ///
    /// # Errors
    ///
    /// Returns an error if a variable is not set or cannot be sent as a header.
    pub fn check(
        name: &str,
        spec: &ServerSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ExternalError> {
        let variable = |key: &str| required(name, key, &variable);
        match &spec.transport {
            ServerTransport::Program { env, .. } => {
                env.iter().try_for_each(|key| variable(key).map(drop))
            }
            ServerTransport::Http(server) => http::headers(name, server, variable).map(drop),
        }
    }

    /// Starts or connects to a server. `variable` looks up an environment variable.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not speak MCP, or has another version or fewer tools than
    /// the spec requires.
    pub async fn start(
        name: &str,
        spec: &ServerSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ExternalError> {
        let variable = |key: &str| required(name, key, &variable);
        let mut client = match &spec.transport {
            ServerTransport::Program { command, env } => {
                program::start(name, command, env, variable).await?
            }
            ServerTransport::Http(server) => http::connect(name, server, variable).await?,
        };
        let identity = client.server().unwrap_or_default();
        if let Some(wanted) = spec
            .version
            .as_ref()
            .filter(|wanted| **wanted != identity.1)
        {
            return Err(ExternalError::Version {
                name: name.to_owned(),
                found: identity.1,
                wanted: wanted.clone(),
            });
        }
        for tool in &spec.tools {
            if !client.tools().iter().any(|offered| offered.name == *tool) {
                return Err(ExternalError::NoTool {
                    name: name.to_owned(),
                    tool: tool.clone(),
                });
            }
        }
        client.keep_tools(|tool| spec.allows(tool));
        Ok(Self {
            name: name.to_owned(),
            identity,
            client,
        })
    }

    /// Returns a one-line summary: name, version and tools.
    pub fn describe(&self) -> String {
        let (name, version) = &self.identity;
        let tools: Vec<&str> = self.client.tools().iter().map(|tool| &*tool.name).collect();
        format!(
            "server {}: {name} {version}, with {}",
            self.name,
            tools.join(", ")
        )
    }

    /// Returns the names of the tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.client.tools().iter().map(|tool| &*tool.name)
    }

    /// Returns the client. A program and all processes that it has started are killed when the client is dropped.
    pub fn into_client(self) -> ToolClient {
        self.client
    }
}

/// Waits for a handshake, up to the time limit.
async fn with_timeout(
    name: &str,
    connecting: impl Future<Output = Result<ToolClient, ServiceError>>,
) -> Result<ToolClient, ExternalError> {
    tokio::time::timeout(HANDSHAKE, connecting)
        .await
        .map_err(|_| ExternalError::Silent {
            name: name.to_owned(),
        })?
        .map_err(|source| ExternalError::Handshake {
            name: name.to_owned(),
            source,
        })
}
