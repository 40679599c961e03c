//! Tasks and worlds on disk: loading, validation, and building of their guests.
//!
//! A [`Library`] is a directory with `tasks/` and `worlds/`. It loads [`Task`]s and [`World`]s, checks their metadata
//! and finds the sources of their guests ([`GuestSource`]). [`Selector`]s choose tasks, a [`build::Builder`] compiles
//! guests to WebAssembly components, and [`bundle_digest`] computes the digest of everything that defines a task.
//!
//! ```no_run
//! use mcpmark_task::{Library, build};
//!
//! let library = Library::discover(std::path::Path::new("."))?;
//! let tasks = library.tasks()?.select(&["filesystem".parse()?], &[], &[])?;
//! let mut builder = build::Builder::new(build::Options::new(library.guests_dir("/var/cache/mcpmark".as_ref())));
//! for task in &tasks {
//!     let built = builder.build(&[task.verifier.clone()], &mut |event| log(&event.to_string()))?;
//!     log(&format!("{} is judged by {}", task.id, built[0].digest));
//! }
//! # fn log(_: &str) {}
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod build;
mod bundle;
mod document;
mod error;
mod freedom;
mod guest;
mod held_back;
mod id;
mod library;
mod meta;
pub mod published;
pub mod python;
pub mod scaffold;
mod score;
mod selector;
mod task;
mod world;

pub use bundle::{BundleParts, PublishedParts, bundle_digest};
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
