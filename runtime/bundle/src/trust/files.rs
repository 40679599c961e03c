//! Files with keys, and the file with the trust policy.

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::Timestamp;

use super::BadKey;
use super::policy::{Policy, SignedBundle, TrustError};
use crate::files;

/// Errors of reading a key from a file.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// Path of the file.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The file does not contain a key of the expected kind.
    #[error("{}: {source}", file.display())]
    Key {
        /// Path of the file.
        file: PathBuf,
        /// Error of parsing the key.
        source: BadKey,
    },
}

/// Reads a public or a private key from a file.
///
/// # Errors
///
/// Returns an error if the file cannot be read or is not such a key.
pub fn read_key<T: FromStr<Err = BadKey>>(file: &Path) -> Result<T, KeyFileError> {
    let text = files::read_text(file).map_err(|source| KeyFileError::Read {
        file: file.to_owned(),
        source,
    })?;
    text.parse::<T>().map_err(|source| KeyFileError::Key {
        file: file.to_owned(),
        source,
    })
}

/// Errors of checking a bundle against the trust policy in a file.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Read {
        /// Path of the policy.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The file is not a trust policy.
    #[error("{}: {source}", file.display())]
    Invalid {
        /// Path of the policy.
        file: PathBuf,
        /// Error of parsing the policy.
        source: Box<toml::de::Error>,
    },
    /// The policy refuses the bundle, or one of its keys cannot be read.
    #[error("{}: {source}", file.display())]
    Refused {
        /// Path of the policy.
        file: PathBuf,
        /// Reason of the refusal.
        source: Box<TrustError<KeyFileError>>,
    },
}

/// File with the trust policy of a machine. Without such a file, all bundles are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFile {
    path: PathBuf,
}

impl PolicyFile {
    /// Chooses the policy of a machine: the file that the user names, or else the file at the default path if it
    /// exists. A named file must exist: otherwise the [check](Self::check) fails.
    pub fn choose(named: Option<PathBuf>, default: Option<PathBuf>) -> Option<Self> {
        let path = named.or_else(|| default.filter(|path| path.exists()))?;
        Some(Self { path })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the keys that signed a bundle, according to the policy. Paths of keys are relative to the directory of
    /// the policy. The result is empty if no rule applies and the policy allows such bundles.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy cannot be read or refuses the bundle, or if a key cannot be read.
    pub fn check(
        &self,
        bundle: &SignedBundle<'_>,
        now: Timestamp,
    ) -> Result<Vec<PathBuf>, PolicyError> {
        let file = || self.path.clone();
        let text = files::read_text(&self.path).map_err(|source| PolicyError::Read {
            file: file(),
            source,
        })?;
        let policy = Policy::parse(&text).map_err(|source| PolicyError::Invalid {
            file: file(),
            source: Box::new(source),
        })?;
        let beside = self.path.parent().unwrap_or(Path::new("."));
        let checked = policy.check(bundle, beside, now, read_key);
        checked.map_err(|source| PolicyError::Refused {
            file: file(),
            source: Box::new(source),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcpmark_snapshot::Digest;

    use super::*;
    use crate::trust::{Kind, PrivateKey, PublicKey};

    #[test]
    fn a_named_policy_must_exist_and_a_default_one_need_not() {
        let dir = tempfile::tempdir().unwrap();
        let (named, default) = (dir.path().join("named.toml"), dir.path().join("trust.toml"));
        assert_eq!(PolicyFile::choose(None, None), None);
        assert_eq!(PolicyFile::choose(None, Some(default.clone())), None);
        fs::write(&default, "unsigned = \"allow\"\n").unwrap();
        let found = PolicyFile::choose(None, Some(default.clone())).unwrap();
        assert_eq!(found.path(), default);
        let digest = Digest::of(b"bundle");
        let bundle = SignedBundle {
            digest: &digest,
            names: &[],
            signatures: &[],
        };
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(found.check(&bundle, now).unwrap(), Vec::<PathBuf>::new());
        let found = PolicyFile::choose(Some(named.clone()), Some(default)).unwrap();
        let refused = found.check(&bundle, now);
        assert!(matches!(refused, Err(PolicyError::Read { .. })));
        fs::write(&named, "unsigned = 1\n").unwrap();
        let refused = found.check(&bundle, now);
        assert!(matches!(refused, Err(PolicyError::Invalid { .. })));
        fs::write(&named, "").unwrap();
        let Err(PolicyError::Refused { file, source }) = found.check(&bundle, now) else {
            panic!("the bundle has no name");
        };
        assert_eq!(file, named);
        assert!(matches!(*source, TrustError::NoRule(found) if found == digest));
    }

    #[test]
    fn keys_are_read_from_files_of_their_kind() {
        let dir = tempfile::tempdir().unwrap();
        let (file, public_file) = (dir.path().join("ours.pem"), dir.path().join("ours.pub"));
        let (key, text) = PrivateKey::generate(Kind::Ed25519).unwrap();
        fs::write(&file, text).unwrap();
        fs::write(&public_file, key.public().pem()).unwrap();
        let read: PrivateKey = read_key(&file).unwrap();
        let public: PublicKey = read_key(&public_file).unwrap();
        assert_eq!(read.public(), public);
        let wrong = read_key::<PublicKey>(&file);
        assert!(matches!(wrong, Err(KeyFileError::Key { .. })));
        let missing = read_key::<PublicKey>(&dir.path().join("theirs.pub"));
        assert!(matches!(missing, Err(KeyFileError::Read { .. })));
    }
}
