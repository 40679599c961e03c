//! Repair of the store: restores missing and damaged objects from bundles and exported experiments.

use std::path::{Path, PathBuf};

use mcpmark_snapshot::{Blobs, Digest, Store, StoreError};

use super::Checked;
use crate::transport::{self, TransportError};

/// Blobs that one source restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Bundle or exported experiment.
    pub from: PathBuf,
    /// Digests of the restored blobs.
    pub blobs: Vec<Digest>,
}

/// Errors of a repair. `E` is the error of restoring a bundle.
#[derive(Debug, thiserror::Error)]
pub enum RepairError<E> {
    /// A damaged blob cannot be removed.
    #[error(transparent)]
    Store(StoreError),
    /// An exported experiment cannot be read.
    #[error("{}", file.display())]
    Export {
        /// File of the experiment.
        file: PathBuf,
        /// Error of reading it.
        source: TransportError,
    },
    /// A bundle cannot be restored.
    #[error(transparent)]
    Bundle(E),
}

impl Checked {
    /// Returns true if the check found nothing wrong.
    pub fn is_intact(&self) -> bool {
        self.faults.is_empty() && self.unneeded_damaged.is_empty() && self.rows.is_empty()
    }

    /// Returns the digests of all damaged blobs.
    pub fn damaged(&self) -> impl Iterator<Item = Digest> {
        let damaged = self.faults.iter().filter(|fault| fault.damaged);
        let unneeded = self.unneeded_damaged.iter().copied();
        damaged.map(|fault| fault.digest).chain(unneeded)
    }

    /// Returns the digests of the blobs that a copy can replace. Unfit objects match their digests, so a copy is as
    /// unfit.
    pub fn restorable(&self) -> impl Iterator<Item = Digest> {
        let faults = self.faults.iter().filter(|fault| !fault.unfit);
        let unneeded = self.unneeded_damaged.iter().copied();
        faults.map(|fault| fault.digest).chain(unneeded)
    }

    /// Removes the damaged blobs from the store.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob cannot be removed.
    pub fn remove_damaged(&self, store: &Store) -> Result<(), StoreError> {
        self.damaged()
            .try_for_each(|digest| store.remove_blob(&digest))
    }
}

/// Restores missing and damaged objects from exported experiments and, with `restore_bundle`, from bundles. `go_on` is
/// called before each source; false stops the repair. Returns the blobs that each source restored.
///
/// # Errors
///
/// Returns an error if a source cannot be read, or if the store cannot be written.
pub fn repair<E>(
    store: &Store,
    checked: &Checked,
    sources: &[PathBuf],
    mut restore_bundle: impl FnMut(&Path) -> Result<(), E>,
    mut go_on: impl FnMut() -> bool,
) -> Result<Vec<Repaired>, RepairError<E>> {
    // The store does not overwrite existing blobs, so damaged ones are removed first.
    checked.remove_damaged(store).map_err(RepairError::Store)?;
    let mut bad: Vec<Digest> = checked.restorable().collect();
    let mut repaired = Vec::new();
    for source in sources {
        if !go_on() {
            break;
        }
        if transport::looks_like_export(source) {
            let restored = transport::restore_objects(store, source);
            restored.map_err(|error| RepairError::Export {
                file: source.clone(),
                source: error,
            })?;
        } else {
            restore_bundle(source).map_err(RepairError::Bundle)?;
        }
        let blobs;
        (blobs, bad) = bad.into_iter().partition(|digest| store.contains(digest));
        repaired.push(Repaired {
            from: source.clone(),
            blobs,
        });
    }
    Ok(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maintenance::{Amount, Fault};

    #[test]
    fn sources_restore_missing_and_damaged_blobs() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path().join("store")).unwrap();
        let texts = [&b"missing"[..], b"damaged", b"unneeded", b"unfit", b"lost"];
        let [missing, damaged, unneeded, unfit, lost] = texts.map(Digest::of);
        // The store has other content for these, which the repair must remove first.
        store.put(b"unfit").unwrap();
        let fault = |digest, damaged, unfit| Fault {
            digest,
            damaged,
            unfit,
            attempts: Vec::new(),
        };
        let checked = Checked {
            read: Amount::default(),
            faults: vec![
                fault(missing, false, false),
                fault(damaged, true, false),
                fault(unfit, false, true),
                fault(lost, false, false),
            ],
            unneeded_damaged: vec![unneeded],
            rows: Vec::new(),
        };
        assert!(!checked.is_intact());
        let [first, second] = ["first", "second"].map(|name| dir.path().join(name));
        let restore = |source: &Path| {
            let content = if source.ends_with("first") {
                &texts[..2]
            } else {
                &texts[1..3]
            };
            content
                .iter()
                .try_for_each(|bytes| store.put(bytes).map(drop))
        };
        let sources = [first.clone(), second.clone()];
        let repaired = repair(&store, &checked, &sources, restore, || true).unwrap();
        let expected = [(first, vec![missing, damaged]), (second, vec![unneeded])];
        let expected = expected.map(|(from, blobs)| Repaired { from, blobs });
        assert_eq!(repaired, expected);
        assert!(store.contains(&unfit) && !store.contains(&lost));

        let none = repair(&store, &checked, &sources, restore, || false).unwrap();
        assert_eq!(none, []);
        assert!(!store.contains(&damaged), "a damaged blob is removed first");
        let failed = repair(&store, &checked, &sources, |_| Err("gone"), || true);
        assert!(matches!(failed, Err(RepairError::Bundle("gone"))));
    }
}
