//! The repository: objects, refs, history, differences and merges, on `gix`.
//!
//! A [`Git`] reads the objects of a world, which many sessions share and none changes, and keeps what is
//! new in memory. Its refs are its own. No program is ever started, and no configuration is read.

mod base;
mod blame;
mod compare;
mod diff;
mod error;
mod graph;
mod lines;
mod log;
mod loose;
mod mail;
mod merge;
mod objects;
mod pack;
mod paid;
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
pub(crate) use lines::Followed;
pub use log::{Author, Filter};
pub use merge::Merged;
pub(crate) use objects::kind_name;
pub use objects::{Commit, Entry, EntryKind, Identity, Tag};
pub(crate) use pack::checksum;
pub use paid::{Cost, Meter};
pub(crate) use paid::{Header, MAX_OBJECT, MAX_RECORD, OBJECT_BYTES, Paid, Stop};
pub(crate) use patch::is_binary;
pub(crate) use refs::{check_new_ref_name, check_ref_name};
pub(crate) use write::{Draft, Edit, check_path};

/// The bytes that decoded objects may take in the cache of one session.
const OBJECT_CACHE: usize = 8 * 1024 * 1024;

/// One session's view of a repository.
pub struct Git {
    repo: gix::Repository,
    base: Arc<Base>,
    refs: BTreeMap<String, ObjectId>,
    /// The commits that this session has written, which can be named by a prefix too.
    written: Vec<ObjectId>,
    /// What walks have learned of the history.
    graph: RefCell<graph::Graph>,
    /// How many objects were new when they were last counted, and their bytes.
    counted: (usize, u64),
    /// What lies below trees, as far as it was counted.
    below: RefCell<HashMap<ObjectId, objects::Below>>,
    /// The objects that the present call has written, and how many commits there were before it.
    fresh: RefCell<Vec<ObjectId>>,
    written_before: usize,
}

impl Git {
    /// A view of its own on the objects of a world.
    pub(crate) fn new(base: Arc<Base>) -> Self {
        let mut repo = base.repository().with_object_memory();
        repo.object_cache_size(OBJECT_CACHE);
        // Nobody adds to the copy, so that what is not there need not be looked for anew.
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

    /// Another session that goes on from where this one is.
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

    /// Begins a call: what is written from now on can be discarded.
    pub(crate) fn begin(&mut self) {
        self.fresh.get_mut().clear();
        self.written_before = self.written.len();
    }

    /// Removes the objects that the present call has written. No ref may lead to one.
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

    /// Bytes of the objects that are new. As many as were counted last are the same.
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

    /// What the repository was when the world was opened.
    pub(crate) fn base(&self) -> &Base {
        &self.base
    }
}
