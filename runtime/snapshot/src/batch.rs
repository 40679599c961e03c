//! Batch of blobs that are written together.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Digest, Store, StoreError};

/// Size in bytes below which a blob is read into memory, so that a known blob is not written.
const IN_MEMORY: usize = 1 << 20;
/// Number of files from which on one sync of the file system is cheaper than a sync of each file.
const SYNC_ALL: usize = 8;

/// Blobs that are being written into a store. They appear together on [`commit`](Self::commit). A batch that is dropped
/// leaves nothing.
#[derive(Debug)]
pub struct Batch {
    store: Store,
    directory: Option<TempDir>,
    pending: Vec<(PathBuf, Digest)>,
    known: HashSet<Digest>,
}

impl Batch {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            directory: None,
            pending: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// Adds `bytes`, unless the store contains them.
    pub fn put_bytes(&mut self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::of(bytes);
        if !self.has(&digest, bytes.len() as u64) {
            let path = self.temporary(&digest.hex())?;
            create(&path)
                .and_then(|mut file| file.write_all(bytes))
                .map_err(|source| StoreError::write(&path, source))?;
            self.add(path, digest);
        }
        Ok(digest)
    }

    /// Adds the bytes of `reader`, unless the store contains them. Returns also their length.
    pub fn put_reader(&mut self, mut reader: impl Read) -> Result<(Digest, u64), StoreError> {
        let mut bytes = Vec::new();
        let limit = IN_MEMORY as u64;
        (&mut reader)
            .take(limit)
            .read_to_end(&mut bytes)
            .map_err(StoreError::Input)?;
        if bytes.len() < IN_MEMORY {
            return Ok((self.put_bytes(&bytes)?, bytes.len() as u64));
        }
        let path = self.temporary(&format!("stream-{}", self.pending.len()))?;
        let (digest, length) = stream(&path, bytes, &mut reader)?;
        if self.has(&digest, length) {
            fs::remove_file(&path).map_err(|source| StoreError::write(&path, source))?;
        } else {
            self.add(path, digest);
        }
        Ok((digest, length))
    }

    /// Adds the content of a file from its current position on.
    pub fn put_file(&mut self, file: &File) -> Result<(Digest, u64), StoreError> {
        self.put_reader(file)
    }

    /// Makes all blobs durable, and then visible in the order in which they were added.
    pub fn commit(self) -> Result<(), StoreError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        self.sync(directory.path())?;
        let mut shards = HashSet::new();
        for (from, digest) in &self.pending {
            let to = self.store.blob_path(digest);
            let shard = to.parent().unwrap_or(self.store.path());
            place(from, &to, shard).map_err(|source| StoreError::write(&to, source))?;
            shards.insert(shard.to_owned());
        }
        for shard in shards {
            File::open(&shard)
                .and_then(|directory| directory.sync_all())
                .map_err(|source| StoreError::write(&shard, source))?;
        }
        Ok(())
    }

    /// Reports whether the store or this batch contains the blob. A blob of another length was truncated by a crash of
    /// the machine, and is written again.
    pub(crate) fn has(&self, digest: &Digest, length: u64) -> bool {
        self.known.contains(digest) || self.store.length(digest) == Some(length)
    }

    fn add(&mut self, path: PathBuf, digest: Digest) {
        self.known.insert(digest);
        self.pending.push((path, digest));
    }

    fn temporary(&mut self, name: &str) -> Result<PathBuf, StoreError> {
        let directory = match self.directory.take() {
            Some(directory) => directory,
            None => {
                let parent = self.store.temporary_dir();
                TempDir::new_in(&parent).map_err(|source| StoreError::write(&parent, source))?
            }
        };
        Ok(self.directory.insert(directory).path().join(name))
    }

    fn sync(&self, directory: &Path) -> Result<(), StoreError> {
        if cfg!(target_os = "linux") && self.pending.len() >= SYNC_ALL {
            return sync_file_system(directory)
                .map_err(|source| StoreError::write(directory, source));
        }
        for (path, _) in &self.pending {
            File::open(path)
                .and_then(|file| file.sync_data())
                .map_err(|source| StoreError::write(path, source))?;
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn sync_file_system(directory: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(directory)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o444)
        .open(path)
}

fn stream(
    path: &Path,
    mut bytes: Vec<u8>,
    reader: &mut impl Read,
) -> Result<(Digest, u64), StoreError> {
    let failed = |source| StoreError::write(path, source);
    let mut file = create(path).map_err(failed)?;
    let mut hasher = Digest::hasher();
    let mut length = 0;
    let mut filled = bytes.len();
    while filled > 0 {
        hasher.update(&bytes[..filled]);
        file.write_all(&bytes[..filled]).map_err(failed)?;
        length += filled as u64;
        filled = loop {
            match reader.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result.map_err(StoreError::Input)?,
            }
        };
    }
    Ok((hasher.finish(), length))
}

fn place(from: &Path, to: &Path, shard: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(shard)?;
            fs::rename(from, to)
        }
        result => result,
    }
}
