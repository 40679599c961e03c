//! Git repository of a world, on `gix`: objects, refs, history, diffs and merges.
//!
//! A [`Git`] reads the objects of a world, which are shared by many sessions and never change, and keeps new objects in
//! memory. Each `Git` has its own refs. It starts no program and reads no configuration of git.

mod base;
mod blame;
mod diff;
mod error;
mod graph;
mod line_diff;
mod line_map;
mod log;
mod loose;
mod mail;
mod merge;
mod metered;
mod objects;
mod pack;
mod patch;
mod reach;
mod refs;
mod similar;
mod strict;
mod write;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(crate) use base::{Base, GIT_DIR};
pub use blame::Blamed;
pub use diff::{Change, Side, Status};
pub use error::GitError;
pub use gix::ObjectId;
pub(crate) use line_map::LineMap;
pub use log::{Author, Filter};
pub use merge::Merged;
pub use metered::{Cost, Meter};
pub(crate) use metered::{Header, MAX_OBJECT, MAX_RECORD, Metered, OBJECT_BYTES, Stop};
pub(crate) use objects::kind_name;
pub use objects::{Commit, Entry, EntryKind, Identity, Tag};
pub(crate) use pack::checksum;
pub(crate) use patch::is_binary;
pub(crate) use refs::{check_new_ref_name, check_ref_name};
pub(crate) use write::{Draft, Edit, check_path};

/// Size of the cache of decoded objects of one session, in bytes.
const OBJECT_CACHE: usize = 8 * 1024 * 1024;

/// Repository as one session sees it: shared objects, and the session's own refs and new objects.
pub struct Git {
    repo: gix::Repository,
    base: Arc<Base>,
    refs: BTreeMap<String, ObjectId>,
    /// Commits that this session has written. They can be found by a prefix of their ids, too.
    written: Vec<ObjectId>,
    /// Cache of the commits that history walks have read.
    graph: RefCell<graph::Graph>,
    /// Cache for [`Git::added_bytes`]: number of new objects at the last count, and their total bytes.
    counted: (usize, u64),
    /// Cache of the sizes of trees that have been counted.
    below: RefCell<HashMap<ObjectId, objects::Below>>,
    /// Objects that the current call has written.
    fresh: RefCell<Vec<ObjectId>>,
    /// Length of `written` before the current call.
    written_before: usize,
}

impl Git {
    /// Creates a session's view of the objects and refs of a world.
    pub(crate) fn new(base: Arc<Base>) -> Self {
        let mut repo = base.repository().with_object_memory();
        repo.object_cache_size(OBJECT_CACHE);
        // The copy never changes, so a missing object need not be searched again in new packs.
        repo.objects.refresh_never();
        let refs = base.refs().clone();
        Self {
            repo,
            base,
            refs,
            written: Vec::new(),
            graph: RefCell::default(),
            counted: (0, 0),
            below: RefCell::default(),
            fresh: RefCell::default(),
            written_before: 0,
        }
    }

    /// Creates another session with the same objects and refs and with empty caches.
    pub(crate) fn fork(&self) -> Self {
        let mut repo = self.repo.clone();
        repo.object_cache_size(OBJECT_CACHE);
        Self {
            repo,
            base: Arc::clone(&self.base),
            refs: self.refs.clone(),
            written: self.written.clone(),
            graph: RefCell::default(),
            counted: (0, 0),
            below: RefCell::default(),
            fresh: RefCell::default(),
            written_before: 0,
        }
    }

    /// Begins a call. [`Git::discard`] removes the objects that are written after this.
    pub(crate) fn begin(&mut self) {
        self.fresh.get_mut().clear();
        self.written_before = self.written.len();
    }

    /// Removes the objects that the current call has written. No ref may reach them.
    pub(crate) fn discard(&mut self) {
        let fresh = std::mem::take(self.fresh.get_mut());
        self.written.truncate(self.written_before);
        if fresh.is_empty() {
            return;
        }
        if let Some(mut memory) = self.repo.objects.take_object_memory() {
            for id in &fresh {
                memory.remove(id);
            }
            self.repo.objects.set_object_memory(memory);
        }
        self.counted = (0, 0);
    }

    /// Returns the total bytes of the new objects. The sum is cached until the number of objects changes.
    pub(crate) fn added_bytes(&mut self) -> u64 {
        let Some(memory) = self.repo.objects.take_object_memory() else {
            return 0;
        };
        if self.counted.0 != memory.len() {
            let sizes = memory.values().map(|(_, data)| data.len() as u64);
            self.counted = (memory.len(), sizes.sum());
        }
        self.repo.objects.set_object_memory(memory);
        self.counted.1
    }

    /// Returns the repository as it was when the world was opened.
    pub(crate) fn base(&self) -> &Base {
        &self.base
    }
}
