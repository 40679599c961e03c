//! Errors of reading and writing bundles.

use std::io;
use std::path::PathBuf;

use mcpmark_archive::states::StatesError;
use mcpmark_archive::tar::TarError;
use mcpmark_snapshot::Digest;

/// Errors of reading and writing bundles.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A file or directory cannot be read.
    #[error("cannot read {}", place.display())]
    Read {
        /// Path of the file or directory.
        place: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// A file or directory cannot be written.
    #[error("cannot write {}", place.display())]
    Write {
        /// Path of the file or directory.
        place: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// A file of an unpacked bundle has changed.
    #[error("{}: {problem} since the bundle was unpacked", file.display())]
    Unpacked {
        /// Path of the file.
        file: PathBuf,
        /// Kind of the change.
        problem: &'static str,
    },
    /// The path is not an OCI image layout.
    #[error("{}: not a bundle: {problem}", place.display())]
    NoLayout {
        /// Path of the directory or file.
        place: PathBuf,
        /// Reason why it is not a layout.
        problem: String,
    },
    /// The tar archive of a layout is invalid.
    #[error("{}: {source}", place.display())]
    Archive {
        /// Path of the archive.
        place: PathBuf,
        /// Error of the archive.
        source: TarError,
    },
    /// A referenced blob is missing or cannot be read.
    #[error("cannot read {}", named(what, digest))]
    Missing {
        /// Description of the blob.
        what: String,
        /// Digest of the blob.
        digest: Digest,
        /// Error of the source.
        source: io::Error,
    },
    /// The content of a blob does not match its digest.
    #[error(
        "{} does not match its digest: its content has the digest {found}",
        named(what, digest)
    )]
    Damaged {
        /// Description of the blob.
        what: String,
        /// Expected digest.
        digest: Digest,
        /// Actual digest.
        found: Digest,
    },
    /// The length of a blob differs from the length in its descriptor.
    #[error(
        "{} does not have the expected length of {wanted} bytes",
        named(what, digest)
    )]
    Length {
        /// Description of the blob.
        what: String,
        /// Digest of the blob.
        digest: Digest,
        /// Expected length, in bytes.
        wanted: u64,
    },
    /// A blob exceeds its limit.
    #[error("{what} has {size} bytes, but the limit is {limit}")]
    TooLarge {
        /// Description of the blob.
        what: String,
        /// Its size, in bytes.
        size: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A document is invalid.
    #[error("{what} is not valid: {reason}")]
    Shape {
        /// Description of the document.
        what: String,
        /// Reason why it is invalid.
        reason: String,
    },
    /// A document has another type, or a later version of the type.
    #[error("{what}: expected type {wanted:?}, found {found:?}")]
    Foreign {
        /// Description of the document.
        what: String,
        /// Actual type.
        found: String,
        /// Expected type.
        wanted: &'static str,
    },
    /// Two parts of a bundle contradict each other.
    #[error("the bundle is inconsistent: {0}")]
    Contradiction(String),
    /// The states of a world are invalid.
    #[error("world {world}: {source}")]
    States {
        /// Id of the world, or a description of the layer with a script.
        world: String,
        /// Error of the states.
        source: Box<StatesError>,
    },
}

impl BundleError {
    /// Returns true if the error may be caused by an intact artifact of a kind that this version does not support.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(
            self,
            Self::Foreign { .. } | Self::Shape { .. } | Self::TooLarge { .. }
        )
    }

    /// Returns true if the host caused the error, not the bundle.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Read { .. } | Self::Write { .. } => true,
            Self::States { source, .. } => source.is_infrastructure(),
            _ => false,
        }
    }
}

/// Appends the digest to a description, unless the description contains it.
fn named(what: &str, digest: &Digest) -> String {
    let digest = digest.to_string();
    if what.contains(&digest) {
        what.to_owned()
    } else {
        format!("{what} {digest}")
    }
}
