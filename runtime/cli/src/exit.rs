//! What `mcpmark` says to the shell. Scripts rely on these numbers.

/// Graded, and all passed; or a command that does not grade did what it was asked.
pub(crate) const PASSED: u8 = 0;
/// Graded, and some attempts failed.
pub(crate) const FAILED: u8 = 1;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// At least one attempt has no grade, because its verifier broke.
pub(crate) const NOT_GRADED: u8 = 3;
/// A task, a world or a component is not valid.
pub(crate) const INVALID: u8 = 4;
/// The host failed: a full disk, a missing compiler, a locked store.
pub(crate) const INFRASTRUCTURE: u8 = 5;
/// An experiment reached its limit of cost, tokens or time; `mcpmark resume` goes on with a higher one.
pub(crate) const LIMIT: u8 = 6;
/// Stopped by Ctrl-C; `mcpmark resume` goes on.
pub(crate) const INTERRUPTED: u8 = 130;
