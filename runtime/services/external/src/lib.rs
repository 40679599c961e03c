//! MCP servers of others, whose tools stand beside those of the world.
//!
//! A [`ServerSpec`] says how a server is reached: as a program that [`External::start`] starts and
//! speaks with over its standard input and output, or over streamable HTTP. A program's
//! environment is empty but for the variables that the spec names, and it runs on this machine as
//! any does: nothing holds it back. What goes into headers comes from the environment by name.
//! Those values are taken out of everything that a server answers, and so are those of a
//! program's variables, but for such as `PATH` and places that are there.
//!
//! ```
//! use mcpmark_external::{Reach, ServerSpec};
//!
//! let spec = ServerSpec::of(Reach::Program {
//!     command: vec!["notes-server".into(), "--stdio".into()],
//!     env: vec!["PATH".into(), "NOTES_TOKEN".into()],
//! });
//! assert!(spec.allows("any_tool"));
//! ```

mod http;
mod program;
mod proxy;
mod scrub;
mod spec;

use std::io;
use std::time::Duration;

use mcpmark_service::{ServiceError, ToolClient};

pub use crate::http::TransportError;
pub use crate::proxy::proxy;
pub use crate::spec::{BadSpec, HttpServer, ServerSpec, ServerTransport};

/// The time in which a server has to say what it is.
const START: Duration = Duration::from_secs(60);

/// A server that runs, until this is dropped.
pub struct External {
    /// Its name here.
    pub name: String,
    /// What it says it is: name and version.
    pub identity: (String, String),
    client: ToolClient,
    process: Option<program::Process>,
}

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// A variable is not set.
    #[error("server {name}: the environment variable {variable} is not set")]
    NoVariable {
        /// The server.
        name: String,
        /// The variable.
        variable: String,
    },
    /// A variable holds what no header can.
    #[error("server {name}: what is in {variable} cannot stand in a header")]
    NoHeader {
        /// The server.
        name: String,
        /// The variable.
        variable: String,
    },
    /// It does not start.
    #[error("server {name}: {program} cannot be started: {source}")]
    Start {
        /// The server.
        name: String,
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended instead of answering.
    #[error("server {name}: {program} ended before it answered ({how})")]
    Ended {
        /// The server.
        name: String,
        /// The program.
        program: String,
        /// How it ended.
        how: String,
    },
    /// It cannot be reached over HTTP.
    #[error("server {name} at {url}: {error}")]
    Http {
        /// The server.
        name: String,
        /// Where it should be.
        url: String,
        /// What went wrong.
        error: TransportError,
    },
    /// The HTTP client cannot be made.
    #[error("server {name}: the HTTP client cannot be made: {reason}")]
    Client {
        /// The server.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// It does not speak MCP.
    #[error("server {name}: {source}")]
    Handshake {
        /// The server.
        name: String,
        /// What went wrong.
        source: ServiceError,
    },
    /// It says nothing.
    #[error("server {name} did not say what it is within {} s", START.as_secs())]
    Silent {
        /// The server.
        name: String,
    },
    /// It is another version than the pinned one.
    #[error("server {name} has version {found:?}, and {wanted:?} is asked for")]
    Version {
        /// The server.
        name: String,
        /// What it says.
        found: String,
        /// What is pinned.
        wanted: String,
    },
    /// It lacks a tool.
    #[error("server {name} has no tool named {tool:?}")]
    NoTool {
        /// The server.
        name: String,
        /// The tool.
        tool: String,
    },
}

/// The value of a variable that a server cannot do without.
fn needed(
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
    /// Says whether the variables that a server needs are there. Nothing is started or sent.
    ///
    /// # Errors
    ///
    /// When one is not set, or cannot be sent as a header.
    pub fn check(
        name: &str,
        spec: &ServerSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), ExternalError> {
        let variable = |key: &str| needed(name, key, &variable);
        match &spec.transport {
            ServerTransport::Program { env, .. } => {
                env.iter().try_for_each(|key| variable(key).map(drop))
            }
            ServerTransport::Http(server) => http::headers(name, server, variable).map(drop),
        }
    }

    /// Starts or reaches a server. `variable` looks a variable of the environment up.
    ///
    /// # Errors
    ///
    /// When it is not there, does not speak MCP, or is not what the spec asks for.
    pub async fn start(
        name: &str,
        spec: &ServerSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ExternalError> {
        let variable = |key: &str| needed(name, key, &variable);
        let (mut client, process) = match &spec.transport {
            ServerTransport::Program { command, env } => {
                let (client, process) = program::start(name, command, env, variable).await?;
                (client, Some(process))
            }
            ServerTransport::Http(server) => (http::connect(name, server, variable).await?, None),
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
            process,
        })
    }

    /// What it is and offers, in a line.
    pub fn describe(&self) -> String {
        let (name, version) = &self.identity;
        let tools: Vec<&str> = self.client.tools().iter().map(|tool| &*tool.name).collect();
        format!(
            "server {}: {name} {version}, with {}",
            self.name,
            tools.join(", ")
        )
    }

    /// The names of its tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.client.tools().iter().map(|tool| &*tool.name)
    }

    /// Its client, and what keeps it running.
    pub fn into_parts(self) -> (ToolClient, impl Send + Sync) {
        (self.client, self.process)
    }
}

/// Waits for a handshake, but not for ever.
async fn shake_hands(
    name: &str,
    connecting: impl Future<Output = Result<ToolClient, ServiceError>>,
) -> Result<ToolClient, ExternalError> {
    tokio::time::timeout(START, connecting)
        .await
        .map_err(|_| ExternalError::Silent {
            name: name.to_owned(),
        })?
        .map_err(|source| ExternalError::Handshake {
            name: name.to_owned(),
            source,
        })
}
