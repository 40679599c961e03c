//! Cache of unpacked bundles, and its garbage collection.
//!
//! A process that uses an unpacked bundle holds a shared lock on its directory, and a process that unpacks one holds a
//! shared lock on the directory of all. Garbage collection takes each lock exclusively, so it neither finds incomplete
//! directories nor removes those in use. The operating system releases a lock when its process exits, for whatever
//! reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mcpmark_snapshot::{Digest, bytes_below};
use serde::Serialize;
use serde_json::json;

use crate::integrity::{CheckDepth, matches_integrity_record, read};
use crate::layout::Source;
use crate::{Bundle, BundleError, unpack};

/// Version of the directory layout that unpacking produces. Increase it if a later version produces another one.
const FORM: u32 = 2;

/// Number of attempts to get an exclusive lock, and the interval between them.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(10);

/// Directory of unpacked bundles.
#[derive(Debug, Clone)]
pub struct Libraries {
    dir: PathBuf,
}

/// Unpacked bundle. It is locked, and so not removed, as long as this value exists.
#[derive(Debug, Clone)]
pub struct OpenLibrary {
    /// Directory of the unpacked bundle.
    pub dir: PathBuf,
    _lock: Arc<File>,
}

/// Number and total size of unpacked bundles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// Number of unpacked bundles.
    pub libraries: u64,
    /// Total size, in bytes.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.libraries += 1;
        self.bytes += bytes;
    }
}

/// Result of garbage collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Removed bundles, or those that a dry run would remove.
    pub removed: Amount,
    /// Bundles that are kept because they are in use.
    pub in_use: Amount,
}

/// Unpacked bundle, or a directory that unpacking or removal left incomplete.
struct Found {
    path: PathBuf,
    bundle: Option<Digest>,
}

impl Libraries {
    /// Creates the cache in a directory, which need not exist.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns the directory of an unpacked bundle with the given verifiers, which need not exist.
    pub fn place(&self, bundle: &Digest, verifiers: &BTreeMap<Digest, Vec<u8>>) -> PathBuf {
        let given: Vec<_> = verifiers.keys().collect();
        let how = mcpmark_json::canonical(&json!({"form": FORM, "verifiers": given}));
        let how = Digest::of(how.as_bytes());
        self.dir.join(format!("{}-{}", bundle.hex(), how.hex()))
    }

    /// Opens a bundle as a library, and [unpacks](unpack) it if necessary.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be unpacked, or if its files have changed since then.
    pub fn open(
        &self,
        bundle: &Bundle,
        source: &dyn Source,
        verifiers: &BTreeMap<Digest, Vec<u8>>,
    ) -> Result<OpenLibrary, BundleError> {
        let failed = |source| BundleError::Write {
            place: self.dir.clone(),
            source,
        };
        fs::create_dir_all(&self.dir).map_err(failed)?;
        let all = locked(&self.dir).map_err(failed)?;
        let dir = self.place(&bundle.root.digest, verifiers);
        if !dir.is_dir() {
            let fresh = tempfile::tempdir_in(&self.dir).map_err(failed)?;
            unpack(bundle, source, verifiers, fresh.path())?;
            match fs::rename(fresh.path(), &dir) {
                // Another process unpacked the same bundle first.
                Err(_) if dir.is_dir() => {}
                Err(error) => return Err(failed(error)),
                Ok(()) => drop(fresh.keep()),
            }
        }
        let lock = locked(&dir).map_err(failed)?;
        drop(all);
        matches_integrity_record(&dir, CheckDepth::Quick)?;
        Ok(OpenLibrary {
            dir,
            _lock: Arc::new(lock),
        })
    }

    /// Returns the amounts of the `needed` bundles and of all others.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be read.
    pub fn amounts(&self, needed: &BTreeSet<Digest>) -> Result<(Amount, Amount), BundleError> {
        let (mut own, mut others) = (Amount::default(), Amount::default());
        for found in self.all()? {
            let amount = if found.is_of(needed) {
                &mut own
            } else {
                &mut others
            };
            amount.add(bytes_below(&found.path));
        }
        Ok((own, others))
    }

    /// Removes the bundles that are neither `needed` nor in use; with `dry`, only counts them. Calls `go_on` before
    /// each one, and stops if it returns false.
    ///
    /// # Errors
    ///
    /// Returns an error if a bundle cannot be removed.
    pub fn collect(
        &self,
        needed: &BTreeSet<Digest>,
        dry: bool,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Collected, BundleError> {
        let mut collected = Collected::default();
        let all = match File::open(&self.dir) {
            Ok(all) => all,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(collected),
            Err(error) => return Err(read(&self.dir)(error)),
        };
        let alone = is_alone(&all);
        for found in self.all()? {
            if found.is_of(needed) {
                continue;
            }
            if !go_on() {
                break;
            }
            let bytes = bytes_below(&found.path);
            let own = File::open(&found.path).map_err(read(&found.path))?;
            if !alone || !is_alone(&own) {
                collected.in_use.add(bytes);
                continue;
            }
            if !dry {
                self.remove(&found.path)?;
            }
            collected.removed.add(bytes);
        }
        Ok(collected)
    }

    /// Removes a directory after renaming it, so that a partly removed one is not found as a library.
    fn remove(&self, library: &Path) -> Result<(), BundleError> {
        let remove = || {
            let aside = tempfile::tempdir_in(&self.dir)?;
            fs::rename(library, aside.path().join("removed"))?;
            aside.close()
        };
        remove().map_err(|source| BundleError::Write {
            place: library.to_owned(),
            source,
        })
    }

    fn all(&self) -> Result<Vec<Found>, BundleError> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(read(&self.dir))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(read(&self.dir))?;
            let path = entry.path();
            if !entry.file_type().map_err(read(&path))?.is_dir() {
                continue;
            }
            let name = entry.file_name();
            let bundle = name.to_str().and_then(|name| name.split_once('-'));
            let bundle = bundle.and_then(|(hex, _)| format!("sha256:{hex}").parse().ok());
            found.push(Found { path, bundle });
        }
        Ok(found)
    }
}

impl Found {
    fn is_of(&self, needed: &BTreeSet<Digest>) -> bool {
        self.bundle.is_some_and(|bundle| needed.contains(&bundle))
    }
}

/// Opens a directory with a shared lock. An error of locking is ignored: if the file system does not support locks,
/// garbage collection cannot get an exclusive lock either, and removes nothing.
fn locked(dir: &Path) -> io::Result<File> {
    let file = File::open(dir)?;
    let _ = file.lock_shared();
    Ok(file)
}

/// Tries to get an exclusive lock, several times, because another process may hold it only briefly for unpacking.
fn is_alone(file: &File) -> bool {
    for look in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return true,
            Err(fs::TryLockError::Error(_)) => return false,
            Err(fs::TryLockError::WouldBlock) if look + 1 < LOOKS => thread::sleep(LOOK),
            Err(fs::TryLockError::WouldBlock) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::tests::bundle;

    #[test]
    fn needed_and_used_libraries_stay() {
        let (layout, root) = bundle(&|_, _| {});
        let bundle = Bundle::read(&layout, &root).unwrap();
        let home = tempfile::tempdir().unwrap();
        let libraries = Libraries::new(home.path().join("libraries"));
        let nobody = BTreeSet::new();
        let collect = |needed, dry| libraries.collect(needed, dry, || true).unwrap();
        assert_eq!(collect(&nobody, false), Collected::default());

        let given = BTreeMap::from([(Digest::of(b"v"), b"v".to_vec())]);
        let open = libraries.open(&bundle, &layout, &BTreeMap::new()).unwrap();
        let other = libraries.open(&bundle, &layout, &given).unwrap();
        // Incomplete directories and those of earlier versions are not needed.
        for name in [".tmp-half", &Digest::of(b"old").hex()] {
            let dir = libraries.dir.join(name);
            fs::create_dir(&dir).unwrap();
            fs::write(dir.join("file"), "12345").unwrap();
        }
        let needed = BTreeSet::from([root.digest]);
        let (own, others) = libraries.amounts(&needed).unwrap();
        assert_eq!((own.libraries, others.libraries, others.bytes), (2, 2, 10));
        let unpacking = locked(&libraries.dir).unwrap();
        assert_eq!(collect(&nobody, false).removed, Amount::default());
        drop(unpacking);
        for dry in [true, false] {
            let collected = collect(&nobody, dry);
            assert_eq!(collected.removed, others);
            assert_eq!(collected.in_use, own);
        }
        assert!(open.dir.is_dir() && other.dir.is_dir());
        drop((open.clone(), other));
        let collected = collect(&nobody, false);
        let (removed, in_use) = (collected.removed.libraries, collected.in_use.libraries);
        assert_eq!((removed, in_use), (1, 1));
        drop(open.clone());
        assert_eq!(collect(&needed, false).removed, Amount::default());
        let dir = open.dir.clone();
        drop(open);
        assert_eq!(collect(&needed, false), Collected::default());
        assert!(dir.is_dir());
        assert_eq!(collect(&nobody, false).removed.libraries, 1);
        assert_eq!(fs::read_dir(&libraries.dir).unwrap().count(), 0);
        libraries.open(&bundle, &layout, &BTreeMap::new()).unwrap();
    }

    #[test]
    fn a_removal_that_is_stopped_goes_on_another_time() {
        let home = tempfile::tempdir().unwrap();
        let libraries = Libraries::new(home.path());
        for name in ["a", "b", "c"] {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        let mut left = 2;
        let stopped = libraries.collect(&BTreeSet::new(), false, || {
            left -= 1;
            left >= 0
        });
        assert_eq!(stopped.unwrap().removed.libraries, 2);
        let rest = libraries.collect(&BTreeSet::new(), false, || true).unwrap();
        assert_eq!(rest.removed.libraries, 1);
    }
}
