//! Errors of the checks before a run.

use mcpmark_external::ExternalError;
use mcpmark_model::{OpenError, RequestError};
use mcpmark_service::ToolClash;

use crate::ToolFilterError;

/// Errors of the checks of models, servers and programs before a run.
#[derive(Debug, thiserror::Error)]
pub enum PreflightError {
    /// A model cannot be opened, for example because its key is missing.
    #[error(transparent)]
    Model(#[from] OpenError),
    /// The price of a model is unknown, but a limit depends on it.
    #[error("model {model}: its price is unknown, so a limit on cost cannot be enforced")]
    NoPrice {
        /// Name of the model, as `provider/name`.
        model: String,
    },
    /// The replies of a model do not report token usage, but a limit depends on it.
    #[error(
        "model {model}: its replies do not report token usage, so limits on tokens and cost cannot be enforced"
    )]
    NoUsage {
        /// Name of the model, as `provider/name`.
        model: String,
    },
    /// A model refuses the test request, or cannot be reached.
    #[error("{0}")]
    Refused(Box<RefusedRequest>),
    /// An external server cannot be used.
    #[error(transparent)]
    Server(#[from] ExternalError),
    /// A tool of an external server has the name of another tool.
    #[error("server {server}: {clash}")]
    Clash {
        /// Name of the server.
        server: String,
        /// Tool.
        clash: ToolClash,
    },
    /// The filter of the offered tools is not valid, or does not match the tools.
    #[error(transparent)]
    Filter(#[from] ToolFilterError),
    /// The program of an agent cannot be run.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// Test request that a model refused or did not answer.
#[derive(Debug, thiserror::Error)]
#[error("model {model}{}: {}", at(base_url.as_deref()), error.message)]
pub struct RefusedRequest {
    /// Name of the model, as `provider/name`.
    pub model: String,
    /// Base URL, if it may be the cause: it was set, or could not be reached.
    pub base_url: Option<String>,
    /// True if a key was sent.
    pub has_key: bool,
    /// Error of the request.
    pub error: RequestError,
}

fn at(base_url: Option<&str>) -> String {
    base_url.map_or_else(String::new, |url| format!(" at {url}"))
}

/// Errors of the program of an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// An environment variable that the program gets is not set.
    #[error("{0}: the variable is not set, or is not valid UTF-8")]
    NoVariable(String),
    /// The command has no words.
    #[error("the agent's command is empty")]
    Empty,
    /// The path is relative, but the program runs in another directory.
    #[error("agent program {0}: the path is relative, but the program runs in its own directory")]
    Relative(String),
    /// The file does not exist or is not executable.
    #[error("agent program {0}: the file does not exist or is not executable")]
    NotExecutable(String),
    /// No directory of `PATH` contains the program.
    #[error("agent program {0}: not found in PATH")]
    NotInPath(String),
}
