//! Bundles that are unpacked as libraries.

use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use mcpmark_task::{Library, TaskId};

use super::OpenError;
use crate::{CheckDepth, Lock, OpenLibrary, UnpackedCorpus, matches_integrity_record};

/// Bundle unpacked as a library. Garbage collection does not remove it as long as this value exists.
#[derive(Debug, Clone)]
pub struct Unpacked {
    /// The library.
    pub library: Library,
    /// Corpus of the bundle, if its tasks are published ones. The library then contains no tasks.
    pub corpus: Option<UnpackedCorpus>,
    /// Digest of the bundle's manifest.
    pub digest: Digest,
    /// Task digests by task id, as in receipts.
    pub task_digests: BTreeMap<String, Digest>,
    /// Lock that the bundle was opened with.
    pub lock: Option<Lock>,
    pub(super) _open: OpenLibrary,
}

impl Unpacked {
    /// Checks that the unpacked files have not changed.
    ///
    /// # Errors
    ///
    /// Returns [`OpenError::Unpacked`] if a file has changed or cannot be read.
    pub fn check_files(&self, depth: CheckDepth) -> Result<(), OpenError> {
        let dir = &self.library.root;
        matches_integrity_record(dir, depth).map_err(|source| OpenError::Unpacked {
            dir: dir.clone(),
            source: Box::new(source),
        })
    }

    /// Checks that a prepared task has the task digest that the bundle declares. Tasks that the bundle does not declare
    /// are accepted.
    ///
    /// # Errors
    ///
    /// Returns [`OpenError::Unpacked`] if the digests differ because an unpacked file has changed, and otherwise
    /// [`OpenError::OtherTask`].
    pub fn check_task(&self, id: &TaskId, digest: &Digest) -> Result<(), OpenError> {
        let declared = self.task_digests.get(&id.to_string());
        if declared.is_none_or(|declared| declared == digest) {
            return Ok(());
        }
        self.check_files(CheckDepth::Thorough)?;
        Err(OpenError::OtherTask(id.clone()))
    }
}
