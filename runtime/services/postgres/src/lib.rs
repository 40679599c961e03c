//! The postgres service: a private PostgreSQL cluster for each session, as an in-process MCP server.

pub mod state;
