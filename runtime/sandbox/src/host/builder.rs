//! Host functions of setup guests: the world to build, random numbers and the clock.

use std::sync::Arc;

use mcpmark_snapshot::{Digest, File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest as _, Sha256};

use super::{Common, HasCommon, RunState};
use crate::GradeData;
use crate::bindings::mcpmark::guest::{builder, clock, random};

/// Bytes charged for a random number or for reading the clock.
const LIGHT_COST: u64 = 64;

/// Function that runs after the guest has ended.
pub(crate) type AtEnd = fn(&mut SetupHost) -> wasmtime::Result<()>;

/// Store data of a setup guest: the world to fill, a random source, a clock, and the data from which an
/// [`Interface`](crate::Interface) of an embedder answers.
pub struct SetupHost {
    pub(crate) common: Common,
    pub(crate) world: WorldBuilder,
    pub(crate) data: GradeData,
    /// State of interfaces that lasts for the run.
    pub(crate) state: RunState,
    pub(crate) at_end: Vec<AtEnd>,
    random: ChaCha20Rng,
    clock: i64,
}

/// World that a setup guest builds, in memory and with bounds.
pub(crate) struct WorldBuilder {
    tree: TreeBuilder,
    blobs: MemoryBlobs,
    bytes: u64,
    entries: u64,
    pub(crate) max_bytes: u64,
    max_entries: u64,
}

impl SetupHost {
    pub(crate) fn new(common: Common, world: WorldBuilder, seed: u64, clock: i64) -> Self {
        let key = Sha256::digest(format!("mcpmark:random:{seed}"));
        Self {
            common,
            world,
            data: GradeData::none(),
            state: RunState::default(),
            at_end: Vec::new(),
            random: ChaCha20Rng::from_seed(key.into()),
            clock,
        }
    }
}

impl SetupHost {
    /// Runs the functions that interfaces registered with `SetupHost::at_end`.
    pub(crate) fn finish(&mut self) -> wasmtime::Result<()> {
        for step in std::mem::take(&mut self.at_end) {
            step(self)?;
        }
        Ok(())
    }
}

impl HasCommon for SetupHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl WorldBuilder {
    pub(crate) fn new(max_bytes: u64, max_entries: u64) -> Self {
        Self {
            tree: TreeBuilder::new(),
            blobs: MemoryBlobs::new(),
            bytes: 0,
            entries: 0,
            max_bytes,
            max_entries,
        }
    }

    pub(crate) fn finish(self) -> Snapshot {
        Snapshot {
            tree: self.tree.finish(),
            blobs: Arc::new(self.blobs),
        }
    }

    /// Counts one more entry of `bytes` bytes. Fails if a limit is exceeded.
    fn reserve(&mut self, path: &str, bytes: u64) -> Result<(), builder::Error> {
        // A path also creates its parents; the number of its segments is an upper bound for the new entries.
        let entries = self.entries + path.split('/').count() as u64;
        if entries > self.max_entries {
            return Err(builder::Error::TooLarge(format!(
                "{path:?}: the world exceeds the limit of {} entries",
                self.max_entries
            )));
        }
        let bytes = self.bytes.saturating_add(bytes);
        if bytes > self.max_bytes {
            return Err(builder::Error::TooLarge(format!(
                "{path:?}: the world exceeds the limit of {} bytes",
                self.max_bytes
            )));
        }
        (self.entries, self.bytes) = (entries, bytes);
        Ok(())
    }

    /// Adds a file.
    pub(crate) fn put(
        &mut self,
        path: &str,
        content: Vec<u8>,
        executable: bool,
        modified: Option<i64>,
    ) -> Result<(), builder::Error> {
        let tree_path = Self::parse(path)?;
        let size = content.len() as u64;
        self.reserve(path, size)?;
        let content: Digest = self.blobs.put(content);
        let file = File {
            size,
            executable,
            modified,
            content,
        };
        self.tree
            .insert_file(&tree_path, file)
            .map_err(|error| builder::Error::Exists(error.to_string()))
    }

    /// Adds a directory, and its parents if they are missing.
    pub(crate) fn make_directory(&mut self, path: &str) -> Result<(), builder::Error> {
        let tree_path = Self::parse(path)?;
        self.reserve(path, 0)?;
        self.tree
            .create_directory(&tree_path)
            .map_err(|error| builder::Error::Exists(error.to_string()))
    }

    fn parse(path: &str) -> Result<TreePath, builder::Error> {
        TreePath::parse(path).map_err(|error| builder::Error::InvalidPath(error.to_string()))
    }
}

impl builder::Host for SetupHost {
    fn write_file(
        &mut self,
        path: String,
        content: Vec<u8>,
        executable: bool,
        modified: Option<i64>,
    ) -> wasmtime::Result<Result<(), builder::Error>> {
        self.common.charge((path.len() + content.len()) as u64)?;
        Ok(self.world.put(&path, content, executable, modified))
    }

    fn create_directory(&mut self, path: String) -> wasmtime::Result<Result<(), builder::Error>> {
        self.common.charge(path.len() as u64)?;
        Ok(self.world.make_directory(&path))
    }

    fn create_symlink(
        &mut self,
        path: String,
        target: String,
    ) -> wasmtime::Result<Result<(), builder::Error>> {
        self.common.charge((path.len() + target.len()) as u64)?;
        Ok(WorldBuilder::parse(&path).and_then(|tree_path| {
            self.world.reserve(&path, target.len() as u64)?;
            self.world
                .tree
                .insert_symlink(&tree_path, &target)
                .map_err(|error| builder::Error::InvalidPath(error.to_string()))
        }))
    }
}

impl random::Host for SetupHost {
    fn next(&mut self) -> wasmtime::Result<u64> {
        self.common.charge_bytes(LIGHT_COST)?;
        Ok(self.random.next_u64())
    }
}

impl clock::Host for SetupHost {
    fn now(&mut self) -> wasmtime::Result<i64> {
        self.common.charge_bytes(LIGHT_COST)?;
        Ok(self.clock)
    }
}
