//! Cache of bundles: fetched blobs, documents of local bundles, and unpacked bundles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use mcpmark_task::Library;

use super::place::reference_text;
use super::{OpenError, Opened, Unpacked};
use crate::{
    BlobDirectory, Bundle, BundleError, INSTRUCTION, Libraries, Reference, TaskArtifact,
    UnpackedCorpus,
};

/// Directory with the cache of bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleCache {
    dir: PathBuf,
}

impl BundleCache {
    /// Creates the cache in a directory, which need not exist.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns the cached blobs: those of bundles from registries, and the documents of local bundles.
    pub fn blobs(&self) -> BlobDirectory {
        BlobDirectory::of_layout(&self.dir)
    }

    /// Returns the unpacked bundles.
    pub fn libraries(&self) -> Libraries {
        Libraries::new(self.dir.join("libraries"))
    }

    /// Returns the documents of a bundle with its signatures, if all documents still exist. Other layers may be
    /// missing.
    pub fn remembered(&self, digest: &Digest) -> Option<Opened> {
        let blobs = self.blobs();
        let bundle = Bundle::kept(&blobs, digest).ok()?;
        // Comparisons need the instructions.
        let has_instruction = |task: &TaskArtifact| task.read(&blobs, INSTRUCTION).is_ok();
        if !bundle.tasks.iter().all(has_instruction) {
            return None;
        }
        Some(Opened {
            signatures: Bundle::kept_signatures(&blobs, digest),
            names: bundle.name.iter().cloned().collect(),
            transferred: None,
            lock: None,
            source: Box::new(blobs),
            bundle,
        })
    }

    /// Returns the documents of a bundle like [`remembered`](Self::remembered). `place` is its former location, whose
    /// name the trust policy gets, too.
    ///
    /// # Errors
    ///
    /// Returns an error if the location is an invalid reference.
    pub fn remembered_from(
        &self,
        place: &Path,
        digest: &Digest,
    ) -> Result<Option<Opened>, OpenError> {
        let Some(mut opened) = self.remembered(digest) else {
            return Ok(None);
        };
        if let Some(text) = reference_text(place) {
            opened.names.push(text.parse::<Reference>()?.name());
        }
        Ok(Some(opened))
    }

    /// Stores the documents and signatures of a bundle for later comparison, because its location may contain another
    /// bundle later.
    ///
    /// # Errors
    ///
    /// Returns an error if a document is missing, damaged, or cannot be written.
    pub fn remember(&self, opened: &Opened) -> Result<(), BundleError> {
        let Opened {
            bundle, signatures, ..
        } = opened;
        bundle.remember(signatures, &*opened.source, &self.blobs())
    }

    /// Stores the documents and signatures of a local bundle. Those of bundles from a registry are already there.
    /// Errors are ignored, because a local bundle can still be read from its own location.
    pub fn try_to_remember(&self, opened: &Opened) {
        if opened.transferred.is_none() {
            let _ = self.remember(opened);
        }
    }

    /// Returns true if a bundle is unpacked, or if the cache has everything that unpacking needs. `verifiers` are those
    /// that the bundle holds back, by digest.
    pub fn can_unpack(&self, bundle: &Bundle, verifiers: &BTreeMap<Digest, Vec<u8>>) -> bool {
        let dir = self.libraries().place(&bundle.root.digest, verifiers);
        dir.is_dir() || bundle.is_whole(&self.blobs())
    }

    /// Opens a bundle as a library. Unpacks it if it is not unpacked yet. The signatures are not checked here: check
    /// the trust policy first. `verifiers` are those that the bundle holds back, by digest.
    ///
    /// # Errors
    ///
    /// Returns [`OpenError::Unpacked`] if the bundle cannot be unpacked, or if its unpacked files have changed.
    pub fn unpack(
        &self,
        opened: &Opened,
        verifiers: &BTreeMap<Digest, Vec<u8>>,
    ) -> Result<Unpacked, OpenError> {
        let Opened { bundle, lock, .. } = opened;
        let libraries = self.libraries();
        let open = libraries.open(bundle, &*opened.source, verifiers);
        let open = open.map_err(|source| OpenError::Unpacked {
            dir: libraries.place(&bundle.root.digest, verifiers),
            source: Box::new(source),
        })?;
        let library = Library::at(&open.dir);
        let tasks = bundle.tasks.iter();
        let task_digests = tasks.map(|it| (it.id.to_string(), it.config.parts.digest()));
        Ok(Unpacked {
            corpus: UnpackedCorpus::of(bundle, &library.root),
            digest: bundle.root.digest,
            task_digests: task_digests.collect(),
            lock: lock.clone(),
            library,
            _open: open,
        })
    }
}
