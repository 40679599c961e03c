//! Sources of the bytes of files, by digest.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::Digest;

/// Source of blobs, by digest.
pub trait Blobs: Send + Sync {
    /// Returns all bytes of a blob.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::NotFound`] if the blob does not exist, and [`io::ErrorKind::InvalidData`] if it is
    /// damaged.
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>>;

    /// Returns at most `length` bytes from `offset` on, and fewer at the end of the blob.
    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>>;

    /// Reports whether the blob exists.
    fn contains(&self, digest: &Digest) -> bool;

    /// Opens a file that contains exactly the bytes of the blob, so that [`materialise`](crate::materialise) can copy
    /// it directly. Returns `None` if the blobs are not stored in files.
    fn open(&self, digest: &Digest) -> io::Result<Option<std::fs::File>> {
        let _ = digest;
        Ok(None)
    }
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub struct MemoryBlobs(RwLock<HashMap<Digest, Arc<[u8]>>>);

impl MemoryBlobs {
    /// Creates an empty source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `bytes` and returns their digest.
    pub fn put(&self, bytes: impl Into<Vec<u8>>) -> Digest {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(digest)
            .or_insert_with(|| bytes.into());
        digest
    }

    fn get(&self, digest: &Digest) -> io::Result<Arc<[u8]>> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(digest)
            .cloned()
            .ok_or_else(|| missing(digest))
    }
}

impl Blobs for MemoryBlobs {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        Ok(self.get(digest)?.to_vec())
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let bytes = self.get(digest)?;
        let clamp = |n: u64| usize::try_from(n).map_or(bytes.len(), |n| n.min(bytes.len()));
        Ok(bytes[clamp(offset)..clamp(offset.saturating_add(length))].to_vec())
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.get(digest).is_ok()
    }
}

pub(crate) fn missing(digest: &Digest) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("blob {digest} is missing"))
}

/// Creates the error of a blob whose path is not a regular file.
pub(crate) fn foreign(digest: &Digest) -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        format!("blob {digest} is missing: the entry with its name is not a regular file"),
    )
}

pub(crate) fn damaged(digest: &Digest) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("blob {digest} is damaged"),
    )
}
