//! Filesystem service: an in-process MCP server over a private copy of a world.
//!
//! [`Filesystem`] opens a session whose tools have the names, parameters and result texts of
//! `@modelcontextprotocol/server-filesystem`, in one of the versions in [`PROFILES`]. On every machine, agents see the
//! world at [`ROOT`], and nothing else. The final state is the tree of files itself.
//!
//! Results are deterministic: times come from the world's clock, directories are sorted, and random names of the
//! published server are derived from the seed.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use mcpmark_filesystem::Filesystem;
//! use mcpmark_service::{Service, SessionLimits, ToolClient, WorldState};
//! use mcpmark_snapshot::{ScratchSpace, Store, Tree};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! let world = WorldState {
//!     tree: Tree::empty(),
//!     store: Arc::new(Store::open(home.path().join("store"))?),
//!     seed: 1,
//!     clock: 1_700_000_000,
//!     profile: None,
//!     limits: SessionLimits::default(),
//!     scratch: ScratchSpace::plain(home.path()),
//! };
//! let session = Filesystem.open(world).await?;
//! let client = ToolClient::connect(&*session).await?;
//!
//! let arguments = serde_json::json!({"path": "notes.txt", "content": "hello"});
//! let arguments = arguments.as_object().cloned().unwrap_or_default();
//! let timeout = Duration::from_secs(60);
//! let output = client.call("write_file", arguments, timeout).await?;
//! assert_eq!(output.text(), "Successfully wrote to notes.txt");
//! assert_eq!(session.capture().await?.len(), 1);
//! # client.close().await?;
//! # session.close().await?;
//! # Ok(())
//! # }
//! ```

mod arguments;
mod bounded;
mod collation;
mod diff;
mod edit;
mod failure;
mod glob;
mod listing;
mod path;
mod profile;
mod service;
mod text;
mod tools;
mod world;

pub use path::ROOT;
pub use profile::PROFILES;
pub use service::Filesystem;
