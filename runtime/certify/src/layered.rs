//! Blobs from two sources.

use std::io;
use std::sync::Arc;

use mcpmark_snapshot::{Blobs, Digest, MemoryBlobs, Store};

/// Blobs of mutants in memory, with the store as the fallback.
pub(crate) struct Layered {
    pub(crate) memory: Arc<MemoryBlobs>,
    pub(crate) store: Arc<Store>,
}

impl Layered {
    fn of(&self, digest: &Digest) -> &dyn Blobs {
        if self.memory.contains(digest) {
            &*self.memory
        } else {
            &*self.store
        }
    }
}

impl Blobs for Layered {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        self.of(digest).read(digest)
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.of(digest).read_range(digest, offset, length)
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.of(digest).contains(digest)
    }
}
