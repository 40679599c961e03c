//! The postgres service: a private PostgreSQL cluster for each session, as an in-process MCP server.

mod tools;

pub use tools::{AccessMode, PROFILES, ToolLimits, Tools, surface};
