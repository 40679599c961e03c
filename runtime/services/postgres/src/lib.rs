//! The postgres service: a private PostgreSQL cluster for each session, as an in-process MCP server.
//!
//! An [`Installation`] is a PostgreSQL server on this machine, of which the program takes the newest supported version.
//! A [`Cluster`] is a data directory with a server of its own, which is reachable through a Unix socket only. [`state`]
//! is the canonical form of what a database contains.

mod cluster;
mod installation;
pub mod state;

pub use crate::cluster::{
    ADMINISTRATOR, Cluster, ClusterError, Isolation, Settings, clock_library,
};
pub use crate::installation::{
    INSTALLATION_VARIABLE, Installation, InstallationError, MAJORS, Version,
};
