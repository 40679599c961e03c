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
//! Layers, from the bottom up:
//! - [`git`] reads and writes the repository.
//! - [`hub`] contains issues, pull requests and everything else that GitHub stores outside git.
//! - [`world`] reads both from a tree and writes them back. It documents the format of worlds and of final states.
//! - `view` renders them as objects of GitHub's REST API.
//! - `api` implements the operations of GitHub and their errors.
//! - `tools` implements the MCP tools, and [`rest`] the REST API, on top of these operations.
//! - [`ci`] runs workflows after each call.
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
pub mod rest;
mod service;
mod tools;
mod view;
pub mod world;

pub use git::GitError;
pub use profile::PROFILES;
pub use service::{GitHub, NAME};
