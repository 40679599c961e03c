//! Tasks and worlds packed for others, as OCI artifacts.
//!
//! A [`Packer`] makes a layout of tasks and the worlds that they start from; the same sources give the
//! same digests. A [`Layout`] is one on disk, as a directory or a tar archive, and a [`Bundle`] is what
//! its manifests and configs say, which is enough to review what guests ask for. [`unpack`] makes a
//! library of tasks of it. Whatever is read has a bound, and is known by its digest before it is used.
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
mod kept;
mod layout;
mod libraries;
mod library;
mod lock;
pub mod oci;
mod pack;
mod registry;
mod seal;
pub mod trust;

pub use artifact::{
    Bundle, CERTIFICATE, CertificateConfig, GuestConfig, INSTRUCTION, INTERPRETER, JudgedBy, Parts,
    SCRIPT, SOLUTION, SUITE, StartParts, TASK, TaskArtifact, TaskConfig, VERIFIER, WORLD,
    WorldArtifact, WorldConfig, guest_file,
};
pub use corpus::UnpackedCorpus;
pub use error::BundleError;
pub use layout::{Beside, BlobDirectory, Layout, NewLayout, Source, clear, copy, fetch};
pub use libraries::{Amount, Collected, Libraries, OpenLibrary};
pub use library::unpack;
pub use lock::{Lock, LockError, LockedTask, LockedWorld};
pub use pack::{CertificateContent, JudgeContent, Packed, Packer, TaskContent};
pub use registry::{
    BadLogin, BadReference, Challenge, Login, Reference, Registry, RegistryError, Transferred,
    plain_host,
};
pub use seal::{Look, is_as_unpacked};
