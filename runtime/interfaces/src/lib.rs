//! Optional guest interfaces, built on the extension point of the sandbox ([`mcpmark_sandbox::Interface`]). The
//! contract in `guest-sdk` declares them, and the engine of a service implements them.
//!
//! [`git`] lets verifiers read the repository of a world, and setup guests build one. [`sql`] lets verifiers send SQL to
//! the database of a world.

mod bindings;
pub mod git;
pub mod sql;
