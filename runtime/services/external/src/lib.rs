//! MCP servers of others, whose tools stand beside those of the world.
//!
//! A [`ServerSpec`] says how a server is started; [`External::start`] starts it and speaks MCP
//! with it over its standard input and output. Its environment is empty but for the variables
//! that the spec names. It runs on this machine as any program does: nothing holds it back.
//!
//! ```
//! use mcpmark_external::ServerSpec;
//!
//! let spec = ServerSpec {
//!     command: vec!["notes-server".into(), "--stdio".into()],
//!     env: vec!["PATH".into(), "NOTES_TOKEN".into()],
//!     ..ServerSpec::default()
//! };
//! assert!(spec.allows("any_tool"));
//! ```

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mcpmark_service::{ServiceError, ToolClient};
use serde::{Deserialize, Serialize};
use tokio::net::unix::pipe;

/// The time in which a server has to say what it is.
const START: Duration = Duration::from_secs(60);

/// How a server is started, and what is asked of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// The program and its arguments. Without a slash the program is looked up in this process's
    /// `PATH`.
    pub command: Vec<String>,
    /// The names of the environment variables that it gets; no others, not even `PATH`.
    #[serde(default)]
    pub env: Vec<String>,
    /// The tools that are used, by name; all if empty.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The version that the server has to name, where it is pinned.
    #[serde(default)]
    pub version: Option<String>,
}

impl ServerSpec {
    /// Whether a tool is used.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|allowed| allowed == tool)
    }
}

/// A server that runs, until this is dropped.
pub struct External {
    /// Its name here.
    pub name: String,
    /// What it says it is: name and version.
    pub identity: (String, String),
    client: ToolClient,
    process: Process,
}

/// Why a server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    /// There is no command.
    #[error("server {0}: `command` is empty")]
    NoCommand(String),
    /// A variable is not set.
    #[error("server {name}: the environment variable {variable} is not set")]
    NoVariable {
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

/// A child that goes when its owner does.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have gone by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl External {
    /// Starts a server. `variable` looks a variable of the environment up.
    ///
    /// # Errors
    ///
    /// When it does not start, does not speak MCP, or is not what the spec asks for.
    pub async fn start(
        name: &str,
        spec: &ServerSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ExternalError> {
        let (program, arguments) = spec
            .command
            .split_first()
            .ok_or_else(|| ExternalError::NoCommand(name.to_owned()))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        for key in &spec.env {
            let value = variable(key).ok_or_else(|| ExternalError::NoVariable {
                name: name.to_owned(),
                variable: key.clone(),
            })?;
            command.env(key, value);
        }
        let cannot_start = |source| ExternalError::Start {
            name: name.to_owned(),
            program: program.clone(),
            source,
        };
        let mut process = Process(command.spawn().map_err(cannot_start)?);
        let pipes = process.0.stdin.take().zip(process.0.stdout.take());
        let (stdin, stdout) =
            pipes.ok_or_else(|| cannot_start(io::ErrorKind::BrokenPipe.into()))?;
        let writing = pipe::Sender::from_owned_fd(OwnedFd::from(stdin)).map_err(cannot_start)?;
        let reading = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout)).map_err(cannot_start)?;
        let connecting = ToolClient::over(Box::new(tokio::io::join(reading, writing)));
        let mut client = tokio::time::timeout(START, connecting)
            .await
            .map_err(|_| ExternalError::Silent {
                name: name.to_owned(),
            })?
            .map_err(|source| ExternalError::Handshake {
                name: name.to_owned(),
                source,
            })?;
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

    /// Its client, and what keeps it running.
    pub fn into_parts(self) -> (ToolClient, impl Send + Sync) {
        (self.client, self.process)
    }
}
