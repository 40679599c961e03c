//! Exit codes. Scripts rely on these numbers.

/// Graded, and all attempts passed; or success of a command that does not grade.
pub(crate) const PASSED: u8 = 0;
/// Graded, and some attempts failed.
pub(crate) const FAILED: u8 = 1;
/// Invalid command line.
pub(crate) const USAGE: u8 = 2;
/// At least one attempt has no grade, because its verifier failed or is held back.
pub(crate) const NOT_GRADED: u8 = 3;
/// Invalid task, world or component.
pub(crate) const INVALID: u8 = 4;
/// Failure of the host, such as a full disk, a missing compiler or a locked store.
pub(crate) const INFRASTRUCTURE: u8 = 5;
/// An experiment reached its limit of cost, tokens or time; `mcpmark resume` continues with a higher limit.
pub(crate) const LIMIT: u8 = 6;
/// Interrupted by Ctrl-C; `mcpmark resume` continues.
pub(crate) const INTERRUPTED: u8 = 130;
