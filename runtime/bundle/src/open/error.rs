//! Errors of opening bundles.

use std::io;
use std::path::PathBuf;

use mcpmark_snapshot::Digest;
use mcpmark_task::TaskId;

use crate::trust::PolicyError;
use crate::{BadReference, BundleError, LockError, LoginError, Reference, RegistryError};

/// Errors of opening, checking and unpacking a bundle, wherever it is.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path does not exist or cannot be accessed.
    #[error("{}: {}", place.display(), absence(source))]
    Absent {
        /// The path.
        place: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The bundle or the cache cannot be read or written, or the bundle is invalid.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The text that the user gave is not a reference to a registry.
    #[error(transparent)]
    Reference(#[from] BadReference),
    /// The registry cannot provide the bundle, and the cache does not have it either.
    #[error("{reference}: {source}")]
    Registry {
        /// Reference of the bundle, with the digest of the lock if a lock names it.
        reference: Box<Reference>,
        /// Error of the registry.
        source: RegistryError,
    },
    /// The credentials for a registry cannot be determined.
    #[error(transparent)]
    Login(#[from] LoginError),
    /// The lock cannot be read.
    #[error("cannot read {}: {source}", file.display())]
    ReadLock {
        /// Path of the lock.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The lock is invalid, or the bundle is not the locked one.
    #[error("{}: {source}", file.display())]
    Lock {
        /// Path of the lock.
        file: PathBuf,
        /// Error of the lock.
        source: LockError,
    },
    /// The lock names an invalid reference.
    #[error("{}: {source}", file.display())]
    LockedReference {
        /// Path of the lock.
        file: PathBuf,
        /// Error of parsing the reference.
        source: BadReference,
    },
    /// The lock names another lock, so that locks could form a cycle.
    #[error("{}: source {}: expected a bundle, found a lock file", file.display(), named.display())]
    LockedLock {
        /// Path of the lock.
        file: PathBuf,
        /// Path of the lock that it names.
        named: PathBuf,
    },
    /// The trust policy refuses the bundle, or cannot be read.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// No task of the bundle holds back the verifier that was given.
    #[error(
        "{}: the digest is {digest}, but no task of the bundle holds back a verifier with it",
        file.display()
    )]
    UnwantedVerifier {
        /// Path of the verifier.
        file: PathBuf,
        /// Digest of the verifier.
        digest: Digest,
    },
    /// A bundle that was given for its verifiers has none of the verifiers that are held back.
    #[error("{}: has none of the verifiers that the other bundle holds back", place.display())]
    NoVerifiers {
        /// Path of the bundle.
        place: PathBuf,
    },
    /// The bundle cannot be unpacked, or its unpacked files have changed.
    #[error("unpacked bundle {}: {source}", dir.display())]
    Unpacked {
        /// Directory of the unpacked bundle.
        dir: PathBuf,
        /// Error of unpacking or of the integrity check.
        source: Box<BundleError>,
    },
    /// A prepared task does not have the task digest that the bundle declares.
    #[error("task {0} differs from its description in the bundle")]
    OtherTask(TaskId),
}

impl OpenError {
    /// Returns true if the host, the network or the registry caused the error, not the bundle or the user.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Bundle(error) => error.is_infrastructure(),
            Self::Registry { source, .. } => source.is_infrastructure(),
            Self::Unpacked { source, .. } => source.is_infrastructure(),
            _ => false,
        }
    }
}

fn absence(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "file or directory does not exist".to_owned(),
        _ => error.to_string(),
    }
}
