//! Files with locks, and the bundles that they name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::place::reference_text;
use super::{LocalPlace, OpenError, Place, RemotePlace};
use crate::{BadReference, Bundle, Lock, Reference, files};

/// Lock with the path of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFile {
    /// Path of the file.
    pub file: PathBuf,
    /// Its content.
    pub lock: Lock,
}

/// Errors of naming a bundle in a lock.
#[derive(Debug, thiserror::Error)]
pub enum LockSourceError {
    /// The text is not a reference to a registry.
    #[error(transparent)]
    Reference(#[from] BadReference),
    /// The reference names the bundle by a digest, so an update could not follow it.
    #[error("{0}: expected a tag, found a digest")]
    NoTag(String),
    /// The path cannot be written to a lock.
    #[error("{}: the path is not valid UTF-8", path.display())]
    NotUtf8 {
        /// Path of the bundle.
        path: PathBuf,
    },
    /// The bundle or the directory of the lock does not exist or cannot be accessed.
    #[error("{}: {source}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
}

impl LockFile {
    /// Returns true if a path is a lock file, as opposed to a bundle.
    pub fn looks_like_lock(path: &Path) -> bool {
        path.extension().is_some_and(|it| it == "lock") && path.is_file()
    }

    /// Reads a lock file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is not a lock.
    pub fn read(file: &Path) -> Result<Self, OpenError> {
        let bytes = files::read(file).map_err(|source| OpenError::ReadLock {
            file: file.to_owned(),
            source,
        })?;
        let lock = Lock::parse(&bytes).map_err(|source| OpenError::Lock {
            file: file.to_owned(),
            source,
        })?;
        Ok(Self {
            file: file.to_owned(),
            lock,
        })
    }

    /// Returns the place that the lock names, where an update finds the current version of the bundle. A path is
    /// relative to the directory of the lock.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock names an invalid reference or another lock.
    pub fn place(&self) -> Result<Place, OpenError> {
        let named = &self.lock.source;
        if named.starts_with(Reference::SCHEME) {
            let reference = named.parse::<Reference>();
            let reference = reference.map_err(|source| OpenError::LockedReference {
                file: self.file.clone(),
                source,
            })?;
            return Ok(reference.into());
        }
        let named = self.file.parent().unwrap_or(Path::new("")).join(named);
        if Self::looks_like_lock(&named) {
            return Err(OpenError::LockedLock {
                file: self.file.clone(),
                named,
            });
        }
        Ok(named.into())
    }

    /// Returns the place of the locked bundle. A registry is asked for the locked digest, whatever the tag is now.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`place`](Self::place).
    pub fn pinned_place(self) -> Result<Place, OpenError> {
        Ok(match self.place()? {
            Place::Local(place) => Place::Local(LocalPlace {
                lock: Some(self),
                ..place
            }),
            Place::Remote(place) => Place::Remote(RemotePlace {
                reference: Reference {
                    digest: Some(self.lock.digest),
                    ..place.reference
                },
                lock: Some(self),
            }),
        })
    }

    /// Checks that a bundle is the locked one.
    ///
    /// # Errors
    ///
    /// Returns [`OpenError::Lock`] if it is another bundle, or if the lock contradicts it.
    pub fn check(&self, bundle: &Bundle) -> Result<(), OpenError> {
        self.lock.check(bundle).map_err(|source| OpenError::Lock {
            file: self.file.clone(),
            source,
        })
    }

    /// Returns the source of a bundle for a lock at the path `file`. A path below the lock's directory is relative, so
    /// that the directory can be moved. A reference has no digest, because the lock pins the digest and an update
    /// follows the tag.
    ///
    /// # Errors
    ///
    /// Returns an error if the bundle does not exist or cannot be named in a lock.
    pub fn source(bundle: &Path, file: &Path) -> Result<String, LockSourceError> {
        if let Some(text) = reference_text(bundle) {
            let named: Reference = text.parse::<Reference>()?;
            return match (named.digest, &named.tag) {
                (Some(_), None) => Err(LockSourceError::NoTag(text.to_owned())),
                _ => Ok(Reference {
                    digest: None,
                    ..named
                }
                .to_string()),
            };
        }
        let canonical = |path: &Path| {
            let found = if path == Path::new("") {
                fs::canonicalize(".")
            } else {
                fs::canonicalize(path)
            };
            found.map_err(|source| LockSourceError::Path {
                path: path.to_owned(),
                source,
            })
        };
        let place = canonical(bundle)?;
        let dir = canonical(file.parent().unwrap_or(Path::new("")))?;
        let path = place.strip_prefix(&dir).unwrap_or(&place);
        match path.to_str() {
            Some(path) => Ok(path.to_owned()),
            None => Err(LockSourceError::NotUtf8 {
                path: bundle.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mcpmark_snapshot::Digest;

    use super::*;
    use crate::artifact::tests::bundle;

    fn lock(source: &str) -> Lock {
        let (layout, root) = bundle(&|_, _| {});
        let suite = Bundle::read(&layout, &root).unwrap();
        Lock::of(&suite, source.to_owned(), String::new(), BTreeMap::new())
    }

    fn lock_file(file: &Path, source: &str) -> LockFile {
        LockFile {
            file: file.to_owned(),
            lock: lock(source),
        }
    }

    #[test]
    fn a_locked_reference_is_pinned_to_the_digest() {
        let file = Path::new("suites/mcpmark.lock");
        let named = "oci://registry.example/office:v1";
        let locked = lock_file(file, named);
        let Ok(Place::Remote(place)) = locked.place() else {
            panic!("it is in a registry");
        };
        assert_eq!(
            (place.reference.to_string().as_str(), place.lock),
            (named, None)
        );
        let digest = locked.lock.digest;
        let Ok(Place::Remote(place)) = locked.clone().pinned_place() else {
            panic!("it is in a registry");
        };
        assert_eq!(place.reference.to_string(), format!("{named}@{digest}"));
        assert_eq!(place.lock, Some(locked));
        let refused = lock_file(file, "oci://registry.example/Office").place();
        assert!(matches!(refused, Err(OpenError::LockedReference { .. })));
    }

    #[test]
    fn a_locked_path_is_beside_the_lock_and_not_another_lock() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mcpmark.lock");
        fs::write(&file, lock("suite.tar").text()).unwrap();
        let Ok(Place::Local(place)) = Place::of(&file) else {
            panic!("it is on this machine");
        };
        assert_eq!(place.path, dir.path().join("suite.tar"));
        assert_eq!(place.lock, Some(lock_file(&file, "suite.tar")));
        let refused = lock_file(&file, "mcpmark.lock").place();
        assert!(matches!(refused, Err(OpenError::LockedLock { .. })));
        fs::write(&file, "version = 4\n").unwrap();
        assert!(matches!(Place::of(&file), Err(OpenError::Lock { .. })));
        // A file with another name is a layout, which is read later.
        let other = dir.path().join("suite.tar");
        assert_eq!(Place::of(&other).unwrap(), Place::from(other.clone()));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert!(!LockFile::looks_like_lock(&file));
        assert!(matches!(
            LockFile::read(&file),
            Err(OpenError::ReadLock { .. })
        ));
    }

    #[test]
    fn sources_of_locks_are_relative_paths_and_references_with_tags() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let suite = root.join("suite.tar");
        fs::write(&suite, "").unwrap();
        fs::create_dir(root.join("below")).unwrap();
        let source = LockFile::source;
        let lock = root.join("mcpmark.lock");
        assert_eq!(source(&suite, &lock).unwrap(), "suite.tar");
        let below = root.join("below/mcpmark.lock");
        assert_eq!(source(&suite, &below).unwrap(), suite.to_str().unwrap());
        let missing = source(&root.join("other.tar"), &lock);
        assert!(matches!(missing, Err(LockSourceError::Path { .. })));
        let named = "oci://registry.example/office";
        let digest = Digest::of(b"suite");
        for (bundle, wanted) in [
            (named.to_owned(), Some(named.to_owned())),
            (format!("{named}:v1"), Some(format!("{named}:v1"))),
            (format!("{named}:v1@{digest}"), Some(format!("{named}:v1"))),
            (format!("{named}@{digest}"), None),
        ] {
            match source(Path::new(&bundle), &lock) {
                Ok(found) => assert_eq!(Some(found), wanted, "{bundle}"),
                Err(LockSourceError::NoTag(text)) => {
                    assert_eq!((text, wanted), (bundle, None));
                }
                Err(error) => panic!("{error}"),
            }
        }
        let refused = source(Path::new("oci://registry.example/Office"), &lock);
        assert!(matches!(refused, Err(LockSourceError::Reference(_))));
    }
}
