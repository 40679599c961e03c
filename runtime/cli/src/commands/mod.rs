//! One file a command.

pub(crate) mod doctor;
pub(crate) mod grade;
pub(crate) mod inspect;
pub(crate) mod mcp;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod show;
pub(crate) mod task;
pub(crate) mod world;

use clap::CommandFactory;

use crate::args::Cli;
use crate::error::CommandError;
use crate::exit;

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<u8, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mcpmark", &mut script);
    crate::output::print(&String::from_utf8_lossy(&script))?;
    Ok(exit::PASSED)
}

/// A runtime for commands that talk MCP.
fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::infrastructure(format!("cannot start threads: {error}")))
}
