//! Immutable, content-addressed trees: capture a directory, materialise, diff, digest, blob store.
//!
//! A [`Tree`] contains directories, files and symlinks in memory, without the bytes of the files. The bytes are
//! [`Blobs`], in a [`Store`] on disk or in [`MemoryBlobs`]. A tree with its blobs is a [`Snapshot`], which is the input
//! of grading. [`TreeBuilder`] creates and edits trees, [`materialise`] writes a tree into a directory, [`capture`]
//! reads a directory, and [`diff`] lists changes. A [`PrivateCopy`] materialises and captures for one session, with an
//! overlay mount if its [`ScratchSpace`] supports them. A tree is identified by the [`Digest`] of its root, and every
//! path in it is a validated [`TreePath`].
//!
//! ```
//! use mcpmark_snapshot::{
//!     CaptureOptions, MaterialiseOptions, Scratch, Store, capture, diff, materialise,
//!     scratch_parent,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! # std::fs::create_dir(home.path().join("world"))?;
//! # std::fs::write(home.path().join("world/notes.txt"), "first")?;
//! # let (world, store) = (home.path().join("world"), home.path().join("store"));
//! let store = Store::open(&store)?;
//! let before = capture(&world, &store, &CaptureOptions::default())?;
//!
//! let copy = Scratch::new(&scratch_parent(None))?;
//! let written = materialise(&before, &store, copy.path(), &MaterialiseOptions::default())?;
//! std::fs::write(copy.path().join("notes.txt"), "second")?;
//!
//! let base = Some((&before, &written));
//! let options = CaptureOptions { base, ..CaptureOptions::default() };
//! let after = capture(copy.path(), &store, &options)?;
//! let changes = diff(&before, &after);
//! assert_eq!(changes[0].path.as_str(), "notes.txt");
//! assert_eq!(store.load_tree(&after.digest())?, after);
//! # Ok(())
//! # }
//! ```

mod base;
mod batch;
mod blobs;
mod builder;
mod capture;
mod copy;
mod diff;
mod digest;
mod encoding;
mod maintenance;
mod materialise;
mod node;
mod overlay;
mod path;
mod scratch;
mod snapshot;
mod space;
mod store;
mod symlink;
mod tree;
mod typed_digest;
mod upper;

pub use batch::Batch;
pub use blobs::{Blobs, MemoryBlobs};
pub use builder::{BuildError, TreeBuilder};
pub use capture::{CaptureError, CaptureOptions, Captured, capture, capture_counted};
pub use copy::{CopyError, PrivateCopy};
pub use diff::{Change, ChangeKind, diff};
pub use digest::{Digest, Hasher, InvalidDigest};
pub use encoding::{EncodingError, Entry, entries_of};
pub use maintenance::{Needed, Removed, bytes_below};
pub use materialise::{MaterialiseError, MaterialiseOptions, Materialised, materialise};
pub use node::{Directory, File, Kind, Node, Symlink};
pub use path::{InvalidPath, MAX_DEPTH, MAX_PATH, MAX_SEGMENT, TreePath};
pub use scratch::{Scratch, scratch_parent, sweep_scratch};
pub use snapshot::{ReadError, Snapshot};
pub use space::{CopyMethod, NoOverlay, ScratchSpace, UnknownMethod};
pub use store::{STORE_FORMAT, Store, StoreError};
pub use symlink::SymlinkError;
pub use tree::{LoadError, MAX_ENTRIES, Tree};
pub use typed_digest::{BlobDigest, DigestOf, TreeDigest};
