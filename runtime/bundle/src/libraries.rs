//! Bundles that were unpacked, kept for the next time, and removed when nobody needs them.
//!
//! Whoever uses one holds a lock on its directory, shared with others, and whoever unpacks one holds such
//! a lock on the directory of all. What removes them takes each lock alone: it finds nothing that is half
//! made, and nothing goes that is in use. A lock goes with its process, however that ends.

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

use crate::layout::Source;
use crate::seal::{Look, is_as_unpacked, read};
use crate::{Bundle, BundleError, unpack};

/// What unpacking makes of a bundle: another where a later mcpmark makes more of it.
const FORM: u32 = 2;

/// How often, and after how long, it is tried again to be alone.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(10);

/// The directory of unpacked bundles.
#[derive(Debug, Clone)]
pub struct Libraries {
    dir: PathBuf,
}

/// An unpacked bundle, which is not removed while this is there.
#[derive(Debug, Clone)]
pub struct OpenLibrary {
    /// Its directory.
    pub dir: PathBuf,
    _lock: Arc<File>,
}

/// Unpacked bundles and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    /// How many.
    pub libraries: u64,
    /// How large together.
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.libraries += 1;
        self.bytes += bytes;
    }
}

/// What became of unpacked bundles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Those that were removed, or would be.
    pub removed: Amount,
    /// Those that somebody uses at the moment.
    pub in_use: Amount,
}

/// An unpacked bundle, or what is left of one that was half made or half removed.
struct Found {
    path: PathBuf,
    bundle: Option<Digest>,
}

impl Libraries {
    /// Those in a directory, which need not be there yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Where a bundle is unpacked to, with the verifiers that were handed over for it.
    pub fn place(&self, bundle: &Digest, verifiers: &BTreeMap<Digest, Vec<u8>>) -> PathBuf {
        let given: Vec<_> = verifiers.keys().collect();
        let how = mcpmark_json::canonical(&json!({"form": FORM, "verifiers": given}));
        let how = Digest::of(how.as_bytes());
        self.dir.join(format!("{}-{}", bundle.hex(), how.hex()))
    }

    /// A bundle as a library, [unpacked](unpack) where this is the first time.
    ///
    /// # Errors
    ///
    /// When it cannot be unpacked, or is not what it was when it was.
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
                // Another process was faster with the same.
                Err(_) if dir.is_dir() => {}
                Err(error) => return Err(failed(error)),
                Ok(()) => drop(fresh.keep()),
            }
        }
        let lock = locked(&dir).map_err(failed)?;
        drop(all);
        is_as_unpacked(&dir, Look::Quick)?;
        Ok(OpenLibrary {
            dir,
            _lock: Arc::new(lock),
        })
    }

    /// Those of bundles that are `needed`, and all others.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
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

    /// Removes those of bundles that are not `needed` and that nobody uses, or only says which those
    /// are. `go_on` is asked before each.
    ///
    /// # Errors
    ///
    /// When one cannot be removed.
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

    /// Under another name first: what is half removed is no library.
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

/// Opens a directory and shares its lock. Where the file system has no locks, nobody gets one alone
/// either, and so nothing is removed.
fn locked(dir: &Path) -> io::Result<File> {
    let file = File::open(dir)?;
    let _ = file.lock_shared();
    Ok(file)
}

/// Takes a lock that nobody shares. Somebody may only be unpacking, and be done soon.
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
    fn what_is_needed_or_in_use_stays() {
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
        // What was half made, or made by a version before, is nobody's.
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
