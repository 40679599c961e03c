//! Retained documents and signatures of bundles. With them, a bundle is still identified by its digest after its source
//! is gone.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};

use mcpmark_snapshot::Digest;
use serde_json::json;

use crate::layout::{BlobDirectory, Source, fetch};
use crate::oci::{self, Index};
use crate::trust::{self, Attached};
use crate::{Bundle, BundleError};

impl Bundle {
    /// Stores the documents of the bundle and the signatures that were found with it.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob is missing, damaged, or cannot be written.
    pub fn remember(
        &self,
        signatures: &[Attached],
        source: &dyn Source,
        into: &BlobDirectory,
    ) -> Result<(), BundleError> {
        self.keep_documents(source, into)?;
        let digest = &self.root.digest;
        // Signatures of earlier calls stay listed.
        let mut listed = listed(into, digest).unwrap_or_default();
        let before = listed.len();
        for attached in signatures {
            if listed.len() >= trust::MAX_SIGNATURES || listed.contains(&attached.descriptor) {
                continue;
            }
            for descriptor in attached.all() {
                let bytes = fetch(source, "a signature", descriptor, descriptor.size)?;
                into.keep(&descriptor.digest, &bytes)?;
            }
            listed.push(attached.descriptor.clone());
        }
        if listed.len() == before {
            return Ok(());
        }
        let place = into.signatures(digest);
        let index = json!(Index {
            schema_version: 2,
            media_type: Some(oci::INDEX.to_owned()),
            artifact_type: None,
            manifests: listed,
            annotations: BTreeMap::new(),
        });
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(into.partial())?;
            file.write_all(index.to_string().as_bytes())?;
            file.persist(&place)?;
            Ok(())
        };
        write().map_err(|source| BundleError::Write {
            place: place.clone(),
            source,
        })
    }

    /// Reads the intact signatures of a bundle that [`remember`](Self::remember) stored.
    pub fn kept_signatures(blobs: &BlobDirectory, digest: &Digest) -> Vec<Attached> {
        let listed = listed(blobs, digest).unwrap_or_default();
        let read = |descriptor| Attached::read(blobs, descriptor, digest).ok().flatten();
        listed
            .iter()
            .take(trust::MAX_SIGNATURES)
            .filter_map(read)
            .collect()
    }

    /// Reports whether all blobs exist with their expected sizes. Their digests are verified only when they are read.
    pub fn is_whole(&self, blobs: &BlobDirectory) -> bool {
        self.blobs().iter().all(|(_, descriptor)| {
            let found = fs::metadata(blobs.path(&descriptor.digest));
            found.is_ok_and(|found| found.is_file() && found.len() == descriptor.size)
        })
    }
}

/// Reads the stored list of a bundle's signatures. Returns `None` if it does not exist or is invalid.
fn listed(blobs: &BlobDirectory, digest: &Digest) -> Option<Vec<oci::Descriptor>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(blobs.signatures(digest)).ok()?;
    let mut file = file.take(oci::MAX_MANIFEST);
    file.read_to_end(&mut bytes).ok()?;
    let index: Index = serde_json::from_slice(&bytes).ok()?;
    Some(index.manifests)
}
