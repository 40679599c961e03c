//! Export of stored states as a compressed stream, and the tar archives that it consists of.
//!
//! [`tar`] reads and writes archives of files and directories, within limits. [`states`] writes trees and blobs of a
//! store into a compressed archive, and reads them into another store.
//!
//! ```
//! use mcpmark_archive::{states, tar::Bounds};
//! use mcpmark_snapshot::Store;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let (here, there) = (Store::open(dir.path().join("a"))?, Store::open(dir.path().join("b"))?);
//! let blob = here.put(b"kept")?;
//! let mut stream = Vec::new();
//! states::write(&here, &[], &[blob], &mut stream)?;
//! let bounds = Bounds { entries: 10, bytes: 1 << 20 };
//! assert_eq!(states::read(&stream[..], bounds, &there)?.blobs, [blob]);
//! # Ok(())
//! # }
//! ```

pub mod states;
pub mod tar;
