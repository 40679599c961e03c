//! Tasks and worlds on disk: loading and validation. Guests are built by the crate `mcpmark-build`; this one starts no
//! process.
//!
//! A [`Library`] is a directory with `tasks/` and `worlds/`. It loads [`Task`]s and [`World`]s, checks their metadata
//! and finds the sources of their guests ([`GuestSource`]). [`Selector`]s choose tasks, and [`bundle_digest`] computes
//! the digest of everything that defines a task.
//!
//! ```no_run
//! use mcpmark_task::Library;
//!
//! let library = Library::discover(std::path::Path::new("."))?;
//! let tasks = library.tasks()?.select(&["filesystem".parse()?], &[], &[])?;
//! for task in &tasks {
//!     log(&format!("{} is judged by {}", task.id, task.verifier.path().display()));
//! }
//! # fn log(_: &str) {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod declared;
mod document;
mod error;
mod freedom;
mod guest;
mod held_back;
mod id;
mod library;
mod meta;
pub mod published;
pub mod scaffold;
mod score;
mod selector;
mod task;
mod world;

pub use bundle::{BundleParts, PublishedParts, TaskDigest, bundle_digest};
pub use declared::{Citation, DeclaredCheck, Split, VariantKind};
pub use error::Error;
pub use freedom::{AllowedMutation, MutationName};
pub use guest::{ByRole, GuestRole, GuestSource};
pub use held_back::HeldBack;
pub use id::{TaskId, WorldId};
pub use library::{BrokenTask, BrokenWorld, Library, Tasks, Worlds};
pub use meta::{JudgedOn, Limits, Meta, Tier};
pub use score::ScoreSettings;
pub use selector::{SelectError, Selector};
pub use task::Task;
pub use world::{World, WorldContent, WorldManifest};
