//! The notion service: a workspace of pages, databases and blocks, as an in-process MCP server.
//!
//! A [`model::Workspace`] is data in memory. The [`api`] maps requests to responses by the rules of the real API
//! and does no I/O. The [`tools`] are those of the published MCP server, which makes one request
//! for each call. A [`world`] is a tree of JSON documents; the final state has the same form. The [`NotionService`]
//! opens sessions.

pub mod api;
mod cell;
pub mod formula;
mod input;
mod markdown;
pub mod model;
pub mod mutation;
pub mod overview;
mod query;
mod refusal;
mod service;
pub mod tools;
mod view;
pub mod world;

pub use crate::refusal::{Code, Noun, Refusal};
pub use crate::service::{NAME, NotionService};
