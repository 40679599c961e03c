//! The postgres service: a private PostgreSQL cluster for each session, as an in-process MCP server.
//!
//! An [`Installation`] is a PostgreSQL server on this machine, of which the program takes the newest supported version.
//! A [`Cluster`] is a data directory with a server of its own, which is reachable through a Unix socket only. A world is
//! the canonical [`state`] of a database. [`Goldens`] keep a stopped cluster for each world, of which every session of
//! the [`PostgresService`] gets a private copy. An [`inspection::Inspector`] builds a private cluster from a stored
//! state, for statements of verifiers. An [`import::DumpImporter`] converts dumps of other servers to worlds.

mod capture;
mod cluster;
mod golden;
pub mod import;
pub mod inspection;
mod installation;
mod service;
pub mod state;
pub mod tools;

pub use crate::capture::CAPTURE_ERROR;
pub use crate::cluster::{
    ADMINISTRATOR, CGROUP_VARIABLE, CgroupParent, Cluster, ClusterError, Isolation, Settings,
    clock_library,
};
pub use crate::golden::{ConnectError, DATABASE, Facts, Golden, GoldenError, Goldens};
pub use crate::installation::{
    INSTALLATION_VARIABLE, Installation, InstallationError, MAJORS, NPM_PACKAGE, Version,
};
pub use crate::service::PostgresService;
