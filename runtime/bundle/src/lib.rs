//! Bundles: tasks and worlds packed as OCI artifacts.
//!
//! A [`Packer`] packs tasks and their worlds into a layout; equal sources have equal digests. A [`Layout`] is a layout
//! on disk, a directory or a tar archive. A [`Bundle`] contains the manifests and configs, which is enough to review
//! the capabilities of guests. [`unpack`] writes a bundle as a library of tasks. Everything that is read has a size
//! limit, and its digest is verified before use. The module [`open`] opens bundles from paths, locks and registries.
//!
//! ```no_run
//! use std::path::Path;
//! use mcpmark_bundle::{Bundle, Layout, SUITE, TASK, unpack};
//!
//! # fn main() -> Result<(), mcpmark_bundle::BundleError> {
//! let layout = Layout::open(Path::new("suite.tar"))?;
//! let bundle = Bundle::read(&layout, layout.one_of(&[SUITE, TASK])?)?;
//! for task in &bundle.tasks {
//!     for guest in &task.config.guests {
//!         assert!(!guest.can.is_empty());
//!     }
//! }
//! unpack(&bundle, &layout, &Default::default(), Path::new("unpacked"))?;
//! # Ok(())
//! # }
//! ```

mod artifact;
mod corpus;
mod error;
pub mod files;
mod integrity;
mod layout;
mod libraries;
mod library;
mod lock;
mod manifest_cache;
pub mod oci;
pub mod open;
mod pack;
mod registry;
pub mod trust;

pub use artifact::{
    Bundle, CERTIFICATE, CertificateConfig, GuestConfig, INSTRUCTION, INTERPRETER, Parts, SCRIPT,
    SOLUTION, SUITE, StartParts, TASK, TaskArtifact, TaskConfig, VERIFIER, VerifierDigest, WORLD,
    WorldArtifact, WorldConfig, guest_file,
};
pub use corpus::{UnpackedCorpus, state_name};
pub use error::BundleError;
pub use integrity::{CheckDepth, matches_integrity_record};
pub use layout::{BlobDirectory, Layout, NewLayout, OtherBlobs, Source, clear, copy, fetch};
pub use libraries::{Amount, Collected, Libraries, OpenLibrary};
pub use library::unpack;
pub use lock::{Change, Lock, LockChanges, LockError, LockMismatch, LockedTask, LockedWorld};
pub use pack::{CertificateContent, Packed, Packer, TaskContent, VerifierContent};
pub use registry::{
    BadLogin, BadReference, Challenge, GivenLogin, Login, LoginError, Reference, Registry,
    RegistryError, Transferred, plain_host,
};
