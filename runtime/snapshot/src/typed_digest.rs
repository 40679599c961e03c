//! Digests with the kind of object that they name.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Digest, InvalidDigest, Tree};

/// Digest of a `T`. Its text and serialised forms are those of [`Digest`].
///
/// Digests of different kinds cannot be exchanged by mistake:
///
/// ```compile_fail
/// # use mcpmark_snapshot::{BlobDigest, Digest, TreeDigest};
/// let verifier = BlobDigest::from(Digest::of(b"a component"));
/// let state: TreeDigest = verifier;
/// ```
pub struct DigestOf<T: ?Sized> {
    digest: Digest,
    kind: PhantomData<fn() -> T>,
}

/// Digest of a tree: a starting or final state.
pub type TreeDigest = DigestOf<Tree>;

/// Digest of a blob: a file, a component, a script or a document.
pub type BlobDigest = DigestOf<[u8]>;

impl<T: ?Sized> DigestOf<T> {
    /// Returns the digest without its kind.
    #[must_use]
    pub fn untyped(self) -> Digest {
        self.digest
    }
}

impl<T: ?Sized> From<Digest> for DigestOf<T> {
    fn from(digest: Digest) -> Self {
        Self {
            digest,
            kind: PhantomData,
        }
    }
}

impl<T: ?Sized> FromStr for DigestOf<T> {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        text.parse().map(|digest: Digest| digest.into())
    }
}

// The derives would require the traits of `T`.

impl<T: ?Sized> Clone for DigestOf<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for DigestOf<T> {}

impl<T: ?Sized> PartialEq for DigestOf<T> {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl<T: ?Sized> Eq for DigestOf<T> {}

impl<T: ?Sized> PartialOrd for DigestOf<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: ?Sized> Ord for DigestOf<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.digest.cmp(&other.digest)
    }
}

impl<T: ?Sized> Hash for DigestOf<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl<T: ?Sized> fmt::Display for DigestOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.digest.fmt(f)
    }
}

impl<T: ?Sized> fmt::Debug for DigestOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.digest, f)
    }
}

impl<T: ?Sized> Serialize for DigestOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.digest.serialize(serializer)
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for DigestOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Digest::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_digests_have_the_forms_of_digests() {
        let digest = Digest::of(b"abc");
        let tree = TreeDigest::from(digest);
        assert_eq!(tree.to_string(), digest.to_string());
        assert_eq!(digest.to_string().parse(), Ok(tree));
        assert_eq!(
            "abc".parse::<TreeDigest>(),
            Err("abc".parse::<Digest>().unwrap_err())
        );
        let json = serde_json::to_string(&tree).unwrap();
        assert_eq!(json, serde_json::to_string(&digest).unwrap());
        assert_eq!(serde_json::from_str::<TreeDigest>(&json).unwrap(), tree);
        assert_eq!(tree.untyped(), digest);
    }
}
