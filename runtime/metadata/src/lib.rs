//! Types of the JSON output and the exit codes of the `mcpmark` command.
//!
//! Programs that call `mcpmark` can depend on this crate alone: it contains plain data and depends on no other crate of
//! the workspace.

mod exit;

pub use crate::exit::ExitCode;
