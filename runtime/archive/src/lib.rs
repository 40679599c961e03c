//! States of a store in one stream, and the plain archives that they travel in.
//!
//! [`tar`] reads and writes archives of files and directories, within bounds. [`states`] puts trees and
//! blobs of a store into one that is compressed, and reads them back into another store.
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
