//! GitHub service: a repository with its issues and pull requests, as an in-process MCP server.
//!
//! [`GitHub`] opens a session whose tools have the names, parameters and result texts of `github/github-mcp-server`, in
//! one of the versions of [`PROFILES`]. A world contains one repository; requests for any other get "not found". The
//! service uses no network: `gix` executes git operations on objects in memory, and this crate implements the rest of
//! GitHub.
//!
//! Results are deterministic: the same calls return the same bytes. Ids are derived, lists are sorted, and new commits
//! carry the virtual clock of the world, which advances by one second with each call that changes something.
//!
//! Layers, from the bottom up. A module imports only modules before it in this list:
//! - `call` meters the current call; `workflow` parses workflow files; `profile` lists the versions of the tools.
//! - [`git`] reads and writes the repository; [`archive`] is a read-only view of it for verifiers.
//! - [`hub`] contains issues, pull requests and everything else that GitHub stores outside git.
//! - `repository` joins git and hub, and derives facts from them, such as the changes of a pull request.
//! - `view` renders them as objects of GitHub's REST API.
//! - `api` implements the operations of GitHub and their errors.
//! - [`world`] reads git and hub from a tree and writes them back. It documents the format of worlds and of final
//!   states.
//! - [`ci`] runs workflows after each call. [`builder`] creates repositories, and [`mutation`] changes final states.
//! - [`rest`] implements the REST API, and `tools` the MCP tools, on top of these operations.
//! - `service` opens sessions.
//!
//! [`world::open`] also opens a final state, for example to inspect it.

mod api;
pub mod archive;
pub mod builder;
mod call;
pub mod ci;
pub mod git;
pub mod hub;
pub mod mutation;
mod profile;
mod repository;
pub mod rest;
mod service;
mod tools;
mod view;
mod workflow;
pub mod world;

pub use git::GitError;
pub use profile::PROFILES;
pub use service::{GitHub, NAME};
