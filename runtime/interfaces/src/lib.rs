//! Interfaces of guests beyond the state, on the extension point of the sandbox
//! ([`mcpmark_sandbox::Interface`]). The contract in `guest-sdk/wit` declares them, and an engine of a service
//! answers them.
//!
//! [`git`] lets verifiers read the repository of a world, and setup guests make one.

mod bindings;
pub mod git;
