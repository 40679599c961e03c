//! Optional guest interfaces, built on the extension point of the sandbox ([`mcpmark_sandbox::Interface`]). The
//! contract in `guest-sdk/wit` declares them, and the engine of a service implements them.
//!
//! [`git`] lets verifiers read the repository of a world, and setup guests build one.

mod bindings;
pub mod git;
