//! Where the bytes of files come from.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use crate::Digest;

/// A source of blobs, by digest.
pub trait Blobs: Send + Sync {
    /// All bytes of a blob. [`io::ErrorKind::NotFound`] where there is none of that
    /// digest, [`io::ErrorKind::InvalidData`] where it is damaged.
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>>;

    /// Bytes from `offset`, at most `length` of them; fewer at the end of the blob.
    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>>;

    /// Whether there is a blob of that digest.
    fn contains(&self, digest: &Digest) -> bool;

    /// A file that holds the bytes of the blob and nothing else, where the blobs lie
    /// on disk; lets [`materialise`](crate::materialise) copy without a detour.
    fn open(&self, digest: &Digest) -> io::Result<Option<std::fs::File>> {
        let _ = digest;
        Ok(None)
    }
}

/// Blobs in memory.
#[derive(Debug, Default)]
pub struct MemoryBlobs(RwLock<HashMap<Digest, Arc<[u8]>>>);

impl MemoryBlobs {
    /// Starts with none.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps `bytes`.
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

/// What lies under the name of a blob is none.
pub(crate) fn foreign(digest: &Digest) -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        format!("blob {digest} is missing: what has its name is no regular file"),
    )
}

pub(crate) fn damaged(digest: &Digest) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("blob {digest} is damaged"),
    )
}
