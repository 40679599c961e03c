//! The github service: a repository with its issues and pull requests, as an in-process MCP server.
//!
//! [`GitHub`] opens a session whose tools have the names, parameters and result texts of
//! `github/github-mcp-server`, in one of the versions of [`PROFILES`]. One world is one repository; any other is not
//! found. Nothing leaves the process: git is done by `gix` on objects in memory, and the rest of GitHub by this crate.
//!
//! The same calls give the same bytes. Ids are derived, new commits bear the world's virtual clock, which goes on by a
//! second with each call that changes something, and lists are sorted.
//!
//! From the bottom up: [`git`] reads and writes the repository, [`hub`] holds issues and all else that GitHub
//! knows, [`world`] reads both from a tree and writes them back (the form of worlds and of final states is
//! documented there), `view` makes the objects of GitHub's REST API of them, `api` has its operations and refusals, and
//! `tools` are the MCP tools over those. [`ci`] runs workflows when a call is over. [`rest`] answers REST requests on the same operations. [`world::open`] opens a final state just as well, for whoever looks at it.

mod api;
pub mod archive;
pub mod builder;
mod call;
pub mod ci;
pub mod git;
pub mod hub;
mod profile;
pub mod rest;
mod service;
pub mod spoil;
mod tools;
mod view;
pub mod world;

pub use git::GitError;
pub use profile::PROFILES;
pub use service::{GitHub, NAME};
