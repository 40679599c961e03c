//! Worlds and final states: a workspace as a tree of JSON documents.
//!
//! `workspace.json` names the users and the pages and databases at the top level. `pages/<id>.json` is a page with its
//! blocks, and `databases/<id>.json` a database with its rows. A page or database below a page is named where it stands
//! among the blocks, so each has exactly one place. `docs/notion.md` describes the documents.
//!
//! [`write`] is canonical: equal workspaces give equal trees. [`read`] accepts any order of keys and any names of files
//! in the two directories.

mod block;
mod database;
mod document;
mod error;
mod nodes;
mod read;
mod schema;
mod text;
mod write;

pub use error::WorldError;
pub use read::{Opening, read};
pub(crate) use write::changes;
pub use write::write;

/// Version of the form of the documents.
const FORMAT: u64 = 1;
/// Path of the document of the workspace.
const WORKSPACE: &str = "workspace.json";
/// Directory of the documents of pages.
const PAGES: &str = "pages";
/// Directory of the documents of databases.
const DATABASES: &str = "databases";
/// Maximum number of levels of blocks in a page. It keeps the documents within the nesting that parsers of JSON accept.
pub(crate) const MAX_LEVELS: usize = 30;
