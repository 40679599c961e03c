//! Canonical encoding of one directory, which is described at [`Directory::encode`].

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::path::segment_fault;
use crate::{Digest, Directory, File, InvalidPath, Node, Symlink};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    directory: Vec<WireEntry<'a>>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum WireEntry<'a> {
    Directory {
        name: Cow<'a, str>,
        digest: Digest,
    },
    File {
        name: Cow<'a, str>,
        size: u64,
        executable: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modified: Option<i64>,
        digest: Digest,
    },
    Symlink {
        name: Cow<'a, str>,
        target: Cow<'a, str>,
    },
}

impl WireEntry<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Directory { name, .. } | Self::File { name, .. } | Self::Symlink { name, .. } => {
                name
            }
        }
    }
}

/// Entry of a decoded directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Directory, named only by its digest.
    Directory(Digest),
    /// File.
    File(File),
    /// Symlink.
    Symlink(Symlink),
}

/// Decodes the [encoding](Directory::encode) of one directory. Returns its entries with their names.
///
/// # Errors
///
/// Returns an error if the bytes are not an encoding of a directory, or not the canonical one.
pub fn entries_of(encoding: &[u8]) -> Result<Vec<(String, Entry)>, EncodingError> {
    decode(encoding)
}

/// Error of decoding a directory.
#[derive(Debug, thiserror::Error)]
pub enum EncodingError {
    /// Invalid JSON, or JSON of another shape.
    #[error("not the encoding of a directory")]
    Shape(#[source] serde_json::Error),
    /// Invalid name of an entry.
    #[error(transparent)]
    Name(#[from] InvalidPath),
    /// Entries that are not sorted.
    #[error("entry {name:?} is not sorted by name")]
    Unsorted {
        /// First name that is smaller than the name before it.
        name: String,
    },
    /// Two entries with the same name.
    #[error("entry {name:?} occurs twice")]
    Duplicate {
        /// Name.
        name: String,
    },
    /// Valid content that is not in canonical form.
    #[error("not in canonical form: spacing, order of keys, escapes or a null differ")]
    NotCanonical,
}

pub(crate) fn encode(directory: &Directory) -> Vec<u8> {
    let directory = directory
        .iter()
        .map(|(name, node)| {
            let name = Cow::Borrowed(name);
            match node {
                Node::Directory(directory) => WireEntry::Directory {
                    name,
                    digest: directory.digest(),
                },
                Node::File(file) => WireEntry::File {
                    name,
                    size: file.size,
                    executable: file.executable,
                    modified: file.modified,
                    digest: file.content,
                },
                Node::Symlink(symlink) => WireEntry::Symlink {
                    name,
                    target: Cow::Borrowed(&symlink.target),
                },
            }
        })
        .collect();
    to_bytes(&Wire { directory })
}

fn to_bytes(wire: &Wire<'_>) -> Vec<u8> {
    serde_json::to_vec(wire).expect("strings, integers and booleans can always be serialised")
}

/// Decodes an encoding. Accepts only the output of [`encode`].
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<(String, Entry)>, EncodingError> {
    let wire: Wire<'_> = serde_json::from_slice(bytes).map_err(EncodingError::Shape)?;
    let mut previous: Option<&str> = None;
    for entry in &wire.directory {
        let name = entry.name();
        if let Some(reason) = segment_fault(name) {
            return Err(InvalidPath::new(name, reason).into());
        }
        let name_owned = || name.to_owned();
        match previous.map(|before| before.cmp(name)) {
            Some(std::cmp::Ordering::Equal) => {
                return Err(EncodingError::Duplicate { name: name_owned() });
            }
            Some(std::cmp::Ordering::Greater) => {
                return Err(EncodingError::Unsorted { name: name_owned() });
            }
            _ => previous = Some(name),
        }
    }
    if to_bytes(&wire) != bytes {
        return Err(EncodingError::NotCanonical);
    }
    Ok(wire.directory.into_iter().map(decoded).collect())
}

fn decoded(entry: WireEntry<'_>) -> (String, Entry) {
    match entry {
        WireEntry::Directory { name, digest } => (name.into_owned(), Entry::Directory(digest)),
        WireEntry::File {
            name,
            size,
            executable,
            modified,
            digest,
        } => (
            name.into_owned(),
            Entry::File(File {
                size,
                executable,
                modified,
                content: digest,
            }),
        ),
        WireEntry::Symlink { name, target } => (
            name.into_owned(),
            Entry::Symlink(Symlink {
                target: target.into_owned(),
            }),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "\"executable\":false,\"digest\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"";

    fn refusal(text: &str) -> String {
        match decode(text.as_bytes()) {
            Ok(_) => panic!("accepted {text}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn hostile_encodings_are_refused() {
        let file =
            |name: &str| format!("{{\"type\":\"file\",\"name\":\"{name}\",\"size\":3,{FILE}}}");
        let directory = |entries: &[String]| format!("{{\"directory\":[{}]}}", entries.join(","));
        assert!(decode(directory(&[file("a"), file("b")]).as_bytes()).is_ok());

        assert!(refusal(&directory(&[file("b"), file("a")])).contains("\"a\" is not sorted"));
        assert!(refusal(&directory(&[file("a"), file("a")])).contains("\"a\" occurs twice"));
        for name in ["", ".", "..", "a/b", "a\\u0000b", "/"] {
            assert!(refusal(&directory(&[file(name)])).contains("invalid path"));
        }
        assert!(refusal(&directory(&[file(&"x".repeat(256))])).contains("longer than 255"));
        let odd = file("a").replace("\"size\"", "\"mode\":7,\"size\"");
        assert!(refusal(&directory(&[odd])).contains("not the encoding"));
        for (from, to) in [
            ("\"size\":3", "\"size\":-3"),
            ("\"size\":3", "\"size\":3.5"),
            ("\"size\":3", "\"size\":99999999999999999999"),
            ("\"size\":3", "\"size\":3,\"size\":3"),
            ("\"type\":\"file\"", "\"type\":\"device\""),
            ("sha256:ba", "sha256:BA"),
            ("sha256:ba", "sha256:"),
        ] {
            let bad = file("a").replace(from, to);
            assert!(
                refusal(&directory(&[bad])).contains("not the encoding"),
                "{to}"
            );
        }
        for (from, to) in [
            ("\"size\":3", "\"size\": 3"),
            ("\"name\":\"a\"", "\"name\":\"\\u0061\""),
            (
                "\"executable\":false",
                "\"executable\":false,\"modified\":null",
            ),
            (
                "\"type\":\"file\",\"name\":\"a\"",
                "\"name\":\"a\",\"type\":\"file\"",
            ),
        ] {
            let bad = file("a").replace(from, to);
            assert!(refusal(&directory(&[bad])).contains("canonical"), "{to}");
        }
        for text in [
            "",
            "null",
            "[]",
            "{}",
            "{\"directory\":{}}",
            "{\"directory\":[]}x",
            "\u{feff}{\"directory\":[]}",
        ] {
            assert!(refusal(text).contains("not the encoding"));
        }
        assert!(refusal("{\"directory\":[]}\n").contains("canonical"));
        assert!(decode(&[0xff, 0xfe]).is_err());
        let deep = "[".repeat(100_000);
        assert!(refusal(&format!("{{\"directory\":{deep}")).contains("not the encoding"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }
}
