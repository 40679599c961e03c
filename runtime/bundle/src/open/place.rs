//! Places of bundles: paths, references to registries, and locks that name either.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_task::Library;

use super::{LockFile, OpenError};
use crate::{Layout, Reference};

/// Returns a path as text if it is a reference to a registry.
pub(super) fn reference_text(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    text.starts_with(Reference::SCHEME).then_some(text)
}

/// Returns true if a path is a reference to a registry.
pub fn is_reference(path: &Path) -> bool {
    reference_text(path).is_some()
}

/// Returns true if a path looks like a bundle or a lock, as opposed to a directory of tasks.
pub fn looks_like_bundle(path: &Path) -> bool {
    is_reference(path) || Layout::looks_like_layout(path)
}

/// Returns true if tasks can be loaded from a path: a bundle, a lock, or a library of tasks and worlds.
pub fn is_root(path: &Path) -> bool {
    looks_like_bundle(path) || Library::is_there(path)
}

/// Checks that a location of tasks exists. References to a registry are not checked here.
///
/// # Errors
///
/// Returns [`OpenError::Absent`] if a path does not exist.
pub fn check_exists(path: &Path) -> Result<(), OpenError> {
    if is_reference(path) {
        return Ok(());
    }
    fs::metadata(path)
        .map(drop)
        .map_err(|source| OpenError::Absent {
            place: path.to_owned(),
            source,
        })
}

/// Place of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// On this machine.
    Local(LocalPlace),
    /// In a registry.
    Remote(RemotePlace),
}

/// Bundle on this machine, not opened yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalPlace {
    /// Path of the layout: a directory or a tar archive.
    pub path: PathBuf,
    /// Lock that names the bundle.
    pub lock: Option<LockFile>,
}

/// Bundle in a registry, not fetched yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePlace {
    /// Reference of the bundle. If a lock names it, the reference has the digest of the lock.
    pub reference: Reference,
    /// Lock that names the bundle.
    pub lock: Option<LockFile>,
}

impl Place {
    /// Returns the place that a path names: a layout, a reference to a registry, or that of a lock. A layout is not
    /// read yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is an invalid reference, or if a lock is invalid.
    pub fn of(path: &Path) -> Result<Self, OpenError> {
        if let Some(text) = reference_text(path) {
            return Ok(text.parse::<Reference>()?.into());
        }
        if LockFile::looks_like_lock(path) {
            return LockFile::read(path)?.pinned_place();
        }
        Ok(path.to_owned().into())
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::Local(LocalPlace { path, lock: None })
    }
}

impl From<Reference> for Place {
    fn from(reference: Reference) -> Self {
        Self::Remote(RemotePlace {
            reference,
            lock: None,
        })
    }
}
