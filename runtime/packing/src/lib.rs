//! Packing of prepared tasks into bundles, verification of their content, and locks for this machine.
//!
//! [`LibraryPacker`] packs tasks of a library and [`pack_corpus`] packs tasks of a published corpus; both take tasks
//! that were prepared, and return a [`PackedSuite`]. [`verify_content`] checks that the content of a bundle is valid
//! and as its configs describe it. A [`Machine`] creates the lock of a bundle, and compares a lock with the engine and
//! the tools of this machine.

mod corpus;
mod describe;
mod error;
mod library;
mod machine;
mod verify;

use mcpmark_archive::states::{self, WriteError, Written};
use mcpmark_bundle::Packed;
use mcpmark_sandbox::Interface;
use mcpmark_snapshot::{Digest, Store};

pub use crate::corpus::{check_corpus_tasks, pack_corpus};
pub use crate::error::PackError;
pub use crate::library::{LibraryPacker, check_library_tasks};
pub use crate::machine::{Machine, MachineError};
pub use crate::verify::{GuestOwner, VerifyError, verify_content};

/// Options of packing.
#[derive(Clone, Copy)]
pub struct PackOptions<'a> {
    /// Name of the suite.
    pub name: Option<&'a str>,
    /// True if the bundle omits the verifiers and contains only their digests.
    pub without_verifier: bool,
    /// Interfaces of services that guests may import.
    pub interfaces: &'a [Interface],
}

/// Packed suite with its counts.
#[derive(Debug)]
pub struct PackedSuite {
    /// Suite.
    pub packed: Packed,
    /// Number of tasks.
    pub tasks: usize,
    /// Number of worlds.
    pub worlds: usize,
    /// Compressed size of the worlds, in bytes.
    pub world_bytes: u64,
}

/// Packs a stored tree in the format of the states of a world.
///
/// # Errors
///
/// Returns an error if an object of the tree is missing or damaged.
pub fn pack_tree(store: &Store, tree: &Digest) -> Result<(Vec<u8>, Written), WriteError> {
    let mut stream = Vec::new();
    let written = states::write(store, &[*tree], &[], &mut stream)?;
    Ok((stream, written))
}
