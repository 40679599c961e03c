use std::io;
use std::path::PathBuf;

use mcpmark_archive::states::StatesError;
use mcpmark_archive::tar::TarError;
use mcpmark_snapshot::Digest;

/// Why a bundle is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file system refused.
    #[error("{}: cannot be read", place.display())]
    Read {
        /// The file or directory.
        place: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The file system refused to write.
    #[error("{}: cannot be written", place.display())]
    Write {
        /// The file or directory.
        place: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// What was unpacked is not what it was.
    #[error("{}: {problem} since the bundle was unpacked", file.display())]
    Unpacked {
        /// The file.
        file: PathBuf,
        /// What became of it.
        problem: &'static str,
    },
    /// No OCI layout.
    #[error("{}: is no bundle: {problem}", place.display())]
    NoLayout {
        /// The directory or file.
        place: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The archive of a layout is not sound.
    #[error("{}: {source}", place.display())]
    Archive {
        /// The file.
        place: PathBuf,
        /// The problem.
        source: TarError,
    },
    /// A blob that is named is not there.
    #[error("{} cannot be had", named(what, digest))]
    Missing {
        /// What it is.
        what: String,
        /// Its digest.
        digest: Digest,
        /// What the source says.
        source: io::Error,
    },
    /// A blob has other bytes than its digest says.
    #[error(
        "{} is not what its digest says: its bytes have {found}",
        named(what, digest)
    )]
    Damaged {
        /// What it is.
        what: String,
        /// The digest that names it.
        digest: Digest,
        /// That of its bytes.
        found: Digest,
    },
    /// A blob has another length than whoever names it says.
    #[error(
        "{} does not have the {wanted} bytes that it is said to have",
        named(what, digest)
    )]
    Length {
        /// What it is.
        what: String,
        /// Its digest.
        digest: Digest,
        /// The bytes that it should have.
        wanted: u64,
    },
    /// Something is larger than any that is read.
    #[error("{what} has {size} bytes, and {limit} are the most that are read")]
    TooLarge {
        /// What it is.
        what: String,
        /// Its size.
        size: u64,
        /// The most.
        limit: u64,
    },
    /// A document is not of the right shape.
    #[error("{what} is not of the right shape: {reason}")]
    Shape {
        /// What it is.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// Something of another kind, or of a later format.
    #[error("{what} is of type {found:?}, and {wanted:?} is read here")]
    Foreign {
        /// What it is.
        what: String,
        /// Its type.
        found: String,
        /// What is known.
        wanted: &'static str,
    },
    /// Two parts of a bundle do not fit together.
    #[error("the bundle contradicts itself: {0}")]
    Contradiction(String),
    /// The states of a world are not sound.
    #[error("world {world}: {source}")]
    States {
        /// The world.
        world: String,
        /// What is wrong.
        source: Box<StatesError>,
    },
}

impl BundleError {
    /// Whether it is sound, as far as that can be known, and not of a kind that is read here.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(
            self,
            Self::Foreign { .. } | Self::Shape { .. } | Self::TooLarge { .. }
        )
    }

    /// Whether the host is to blame, and not the bundle.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Read { .. } | Self::Write { .. } => true,
            Self::States { source, .. } => source.is_infrastructure(),
            _ => false,
        }
    }
}

/// What something is, with its digest: once, where that is how it is called.
fn named(what: &str, digest: &Digest) -> String {
    let digest = digest.to_string();
    if what.contains(&digest) {
        what.to_owned()
    } else {
        format!("{what} {digest}")
    }
}
