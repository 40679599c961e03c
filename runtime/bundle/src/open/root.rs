//! Root of the tasks of a process: a bundle, or a library on disk.

use std::io;
use std::path::{Path, PathBuf, absolute};

use mcpmark_task::Library;

use super::{OpenError, check_exists, looks_like_bundle};
use crate::Lock;

/// Root of tasks and worlds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskRoot {
    /// Path of a bundle, reference to a registry, or lock.
    Bundle(PathBuf),
    /// Library on disk.
    Library(LibraryRoot),
}

/// Root of a library on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LibraryRoot {
    /// Directory that the user named.
    Named(PathBuf),
    /// Library that contains this directory.
    Containing(PathBuf),
}

/// Errors of finding a library on disk.
#[derive(Debug, thiserror::Error)]
pub enum LibraryRootError {
    /// The named directory does not exist or cannot be accessed.
    #[error(transparent)]
    Absent(Box<OpenError>),
    /// The current directory, to which the path is relative, cannot be determined.
    #[error("{0}")]
    Current(io::Error),
    /// The named directory does not have a directory of tasks or of worlds.
    #[error("{}: directory does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// No library contains the current directory.
    #[error(transparent)]
    NotFound(mcpmark_task::Error),
}

impl TaskRoot {
    /// Returns the root that the user named. Without one, it is the lock in the directory `current` if that has no
    /// directory of tasks and `uses_lock` is true, or else the library that contains `current`. Outside of a library it
    /// is the bundle that is installed with the program, if there is one.
    pub fn of(
        named: Option<&Path>,
        current: &Path,
        uses_lock: bool,
        installed: Option<&Path>,
    ) -> Self {
        if let Some(root) = named {
            return if looks_like_bundle(root) {
                Self::Bundle(root.to_owned())
            } else {
                Self::Library(LibraryRoot::Named(root.to_owned()))
            };
        }
        let lock = current.join(Lock::FILE);
        if uses_lock && lock.is_file() && !current.join("tasks").is_dir() {
            // Messages name the lock without a leading `./`.
            let lock = lock.strip_prefix(".").unwrap_or(&lock);
            return Self::Bundle(lock.to_owned());
        }
        // A directory with one of both is a library that lacks the other one.
        let is_library = ["tasks", "worlds"].map(|dir| current.join(dir).is_dir());
        if let Some(installed) = installed
            && is_library == [false, false]
            && Library::discover(current).is_err()
        {
            return Self::Bundle(installed.to_owned());
        }
        Self::Library(LibraryRoot::Containing(current.to_owned()))
    }
}

impl LibraryRoot {
    /// Returns the library.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist, or if a named directory has no directory of tasks or of worlds.
    pub fn library(&self) -> Result<Library, LibraryRootError> {
        use LibraryRootError as E;
        match self {
            Self::Named(root) => {
                check_exists(root).map_err(|error| E::Absent(Box::new(error)))?;
                let library = Library::at(absolute(root).map_err(E::Current)?);
                for dir in [&library.tasks_dir, &library.worlds_dir] {
                    if !dir.is_dir() {
                        return Err(E::NoDirectory(dir.clone()));
                    }
                }
                Ok(library)
            }
            Self::Containing(dir) => Library::discover(dir).map_err(E::NotFound),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_lock_is_used_only_in_a_directory_without_tasks() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let library = TaskRoot::Library(LibraryRoot::Containing(dir.to_owned()));
        assert_eq!(TaskRoot::of(None, dir, true, None), library);
        let lock = dir.join(Lock::FILE);
        fs::write(&lock, "{}").unwrap();
        assert_eq!(TaskRoot::of(None, dir, true, None), TaskRoot::Bundle(lock));
        assert_eq!(TaskRoot::of(None, dir, false, None), library);
        fs::create_dir(dir.join("tasks")).unwrap();
        assert_eq!(TaskRoot::of(None, dir, true, None), library);
    }

    #[test]
    fn a_named_root_takes_precedence_over_a_lock() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(Lock::FILE), "{}").unwrap();
        let of = |named: &str| TaskRoot::of(Some(Path::new(named)), dir.path(), true, None);
        let named = |named: &str| TaskRoot::Library(LibraryRoot::Named(named.into()));
        assert_eq!(of("library"), named("library"));
        let reference = "oci://registry.example/suite:v1";
        assert_eq!(of(reference), TaskRoot::Bundle(reference.into()));
    }

    #[test]
    fn the_installed_bundle_is_used_outside_of_libraries() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let installed = Path::new("/usr/share/mcpmark/tasks");
        let of = |uses_lock| TaskRoot::of(None, dir, uses_lock, Some(installed));
        let bundle = TaskRoot::Bundle(installed.to_owned());
        assert_eq!((of(true), of(false)), (bundle.clone(), bundle.clone()));
        let lock = dir.join(Lock::FILE);
        fs::write(&lock, "{}").unwrap();
        assert_eq!((of(true), of(false)), (TaskRoot::Bundle(lock), bundle));
        let library = TaskRoot::Library(LibraryRoot::Containing(dir.to_owned()));
        for part in ["tasks", "worlds"] {
            fs::create_dir(dir.join(part)).unwrap();
            assert_eq!((of(true), of(false)), (library.clone(), library.clone()));
        }
    }

    #[test]
    fn a_named_library_needs_both_directories() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("library");
        let named = LibraryRoot::Named(root.clone());
        assert!(matches!(named.library(), Err(LibraryRootError::Absent(_))));
        fs::create_dir_all(root.join("tasks")).unwrap();
        let Err(LibraryRootError::NoDirectory(missing)) = named.library() else {
            panic!("the directory of worlds is missing");
        };
        assert_eq!(missing, root.join("worlds"));
        fs::create_dir(root.join("worlds")).unwrap();
        assert_eq!(named.library().unwrap().root, root);
        let inside = LibraryRoot::Containing(root.join("tasks"));
        assert_eq!(inside.library().unwrap().root, root);
    }
}
