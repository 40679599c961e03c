//! Export and import of states and other blobs of a store as one compressed stream.
//!
//! ```text
//! states.json   {"schema":1,"trees":[…],"blobs":[…]}: what the stream is for
//! blobs/<hex>   the bytes of a file, or a blob that is named above
//! trees/<hex>   the encoding of a directory, after all that it names
//! ```
//!
//! Everything in a tree comes before the tree itself, so that a reader of a tree has already read its content. The
//! stream is a tar archive, compressed with zstd. Equal blobs give equal bytes.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Write};

use mcpmark_snapshot::{
    Blobs, Digest, EncodingError, Entry, LoadError, Store, StoreError, entries_of,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::tar::{Bounds, Reader, TarError, Writer};

const SCHEMA: u32 = 1;
const HEAD: &str = "states.json";

/// Compression level. As a compromise, a world of text is compressed to a tenth of its size, in a second per 50 MB.
const LEVEL: i32 = 9;

/// Binary logarithm of the window size, which bounds the memory of the decompressor to 8 MiB.
const WINDOW: u32 = 23;

/// Maximum size of `states.json` in bytes, sufficient for some 100,000 digests.
const MAX_HEAD: u64 = 16 << 20;

/// Maximum size of the encoding of one directory, in bytes.
const MAX_TREE: u64 = 256 << 20;

/// Bounds of the states of one world, chosen for the default ceiling of a session of 1,000,000 entries and 4 GiB.
pub const WORLD_BOUNDS: Bounds = Bounds {
    entries: 2_000_000,
    bytes: 4 << 30,
};

/// Table of contents of a stream, `states.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    schema: u32,
    /// Roots of trees.
    pub trees: Vec<Digest>,
    /// Blobs that do not belong to these trees.
    pub blobs: Vec<Digest>,
    /// Size of the whole stream, set after it was read.
    #[serde(skip)]
    pub size: Written,
}

/// Size of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of entries of the archive.
    pub entries: u64,
    /// Total size of the files in the archive before compression, in bytes.
    pub bytes: u64,
}

/// Error of writing states.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Missing or damaged blob.
    #[error("cannot read blob {digest}")]
    Blob {
        /// Digest of the blob.
        digest: Digest,
        /// Error of the store.
        source: io::Error,
    },
    /// Tree with a directory that cannot be decoded.
    #[error("cannot read tree {digest}")]
    Tree {
        /// Digest of the directory.
        digest: Digest,
        /// Problem.
        source: EncodingError,
    },
    /// Error of writing the stream.
    #[error("cannot write the states")]
    Write(#[source] io::Error),
}

/// Error of reading states.
#[derive(Debug, thiserror::Error)]
pub enum StatesError {
    /// Invalid archive, or one that exceeds the bounds.
    #[error(transparent)]
    Archive(#[from] TarError),
    /// Invalid first entry.
    #[error("invalid {HEAD:?} in the archive: {0}")]
    Head(String),
    /// Trailing bytes after the end of the stream.
    #[error("unexpected data after the end of the states")]
    Follows,
    /// Entry with an unknown name.
    #[error("unknown entry {0:?}: expected \"blobs/<digest>\" or \"trees/<digest>\"")]
    Name(String),
    /// Entry whose bytes have another digest than its name.
    #[error("the name of {name:?} does not match its content, which has the digest {found}")]
    Digest {
        /// Name of the entry.
        name: String,
        /// Digest of its bytes.
        found: Digest,
    },
    /// Entry that is not the encoding of a directory.
    #[error("{name:?} is not the encoding of a directory")]
    Encoding {
        /// Name of the entry.
        name: String,
        /// Problem.
        source: EncodingError,
    },
    /// Missing object that a directory or the table of contents names.
    #[error("{what} {digest} is missing")]
    Missing {
        /// Kind of the object: `tree`, `file` or `blob`.
        what: &'static str,
        /// Digest of the object.
        digest: Digest,
    },
    /// File with another size than its directory states.
    #[error("file {digest} has {found} bytes, but its directory states {wanted}")]
    Size {
        /// Digest of the file.
        digest: Digest,
        /// Size in the directory.
        wanted: u64,
        /// Actual size.
        found: u64,
    },
    /// Tree that cannot be loaded.
    #[error("a tree is not valid")]
    Tree(#[source] Box<LoadError>),
    /// Error of writing to the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StatesError {
    /// Reports whether the host caused the error, not the stream.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Store(error) if !matches!(error, StoreError::Input(_)))
    }
}

struct Packing<'a, W: Write> {
    blobs: &'a dyn Blobs,
    out: Writer<W>,
    files: HashSet<Digest>,
    trees: HashSet<Digest>,
    written: Written,
}

impl<W: Write> Packing<'_, W> {
    fn read(&self, digest: &Digest) -> Result<Vec<u8>, WriteError> {
        self.blobs.read(digest).map_err(|source| WriteError::Blob {
            digest: *digest,
            source,
        })
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.written.entries += 1;
        self.written.bytes += bytes.len() as u64;
        self.out.file(name, bytes).map_err(WriteError::Write)
    }

    fn blob(&mut self, digest: &Digest) -> Result<(), WriteError> {
        if self.files.insert(*digest) {
            let bytes = self.read(digest)?;
            self.put(&format!("blobs/{}", digest.hex()), &bytes)?;
        }
        Ok(())
    }

    fn tree(&mut self, digest: &Digest) -> Result<(), WriteError> {
        if self.trees.contains(digest) {
            return Ok(());
        }
        let bytes = self.read(digest)?;
        let entries = entries_of(&bytes).map_err(|source| WriteError::Tree {
            digest: *digest,
            source,
        })?;
        for (_, entry) in entries {
            match entry {
                Entry::Directory(below) => self.tree(&below)?,
                Entry::File(file) => self.blob(&file.content)?,
                Entry::Symlink(_) => {}
            }
        }
        self.put(&format!("trees/{}", digest.hex()), &bytes)?;
        self.trees.insert(*digest);
        Ok(())
    }
}

/// Writes trees with everything in them, and other blobs. Each object is written once.
///
/// # Errors
///
/// Returns an error if an object is missing or damaged, or if `out` cannot be written.
pub fn write(
    source: &dyn Blobs,
    trees: &[Digest],
    blobs: &[Digest],
    out: impl Write,
) -> Result<Written, WriteError> {
    let mut encoder = zstd::Encoder::new(out, LEVEL).map_err(WriteError::Write)?;
    encoder.window_log(WINDOW).map_err(WriteError::Write)?;
    encoder.include_checksum(true).map_err(WriteError::Write)?;
    let mut packing = Packing {
        blobs: source,
        out: Writer::new(encoder),
        files: HashSet::new(),
        trees: HashSet::new(),
        written: Written {
            entries: 0,
            bytes: 0,
        },
    };
    let head = mcpmark_json::canonical(&json!({"schema": SCHEMA, "trees": trees, "blobs": blobs}));
    packing.put(HEAD, head.as_bytes())?;
    for digest in blobs {
        packing.blob(digest)?;
    }
    for digest in trees {
        packing.tree(digest)?;
    }
    let encoder = packing.out.finish().map_err(WriteError::Write)?;
    encoder.finish().map_err(WriteError::Write)?;
    Ok(packing.written)
}

/// Reads states into a store. Blobs are stored only if everything is present and matches its digest.
///
/// # Errors
///
/// Returns an error if the stream differs from the output of [`write`] or exceeds `bounds`, or if the store cannot be
/// written. After [`StatesError::Tree`], the blobs of the stream remain in the store.
pub fn read(stream: impl Read, bounds: Bounds, store: &Store) -> Result<Contents, StatesError> {
    let read = |error| StatesError::Archive(TarError::Read(error));
    let mut decoder = zstd::Decoder::new(stream).map_err(read)?.single_frame();
    decoder.window_log_max(WINDOW).map_err(read)?;
    let mut archive = Reader::new(decoder, bounds);
    let mut contents = head(&mut archive)?;
    let mut batch = store.batch();
    let mut files: HashMap<Digest, u64> = HashMap::new();
    let mut trees: HashSet<Digest> = HashSet::new();
    while let Some(entry) = archive.next()? {
        let place = entry.name.split_once('/').and_then(|(kind, hex)| {
            let digest = format!("sha256:{hex}").parse::<Digest>().ok()?;
            (!entry.directory).then_some((kind, digest))
        });
        let (digest, found, length) = match place {
            Some(("blobs", digest)) => {
                let (found, length) = batch.put_reader(&mut archive)?;
                files.insert(digest, length);
                (digest, found, length)
            }
            Some(("trees", digest)) => {
                if entry.size > MAX_TREE {
                    return Err(TarError::TooLarge(MAX_TREE).into());
                }
                let bytes = rest(&mut archive)?;
                whole(&entry.name, &bytes, &files, &trees)?;
                trees.insert(digest);
                (digest, batch.put_bytes(&bytes)?, bytes.len() as u64)
            }
            _ => return Err(StatesError::Name(entry.name)),
        };
        if found != digest || length != entry.size {
            let name = entry.name;
            return Err(StatesError::Digest { name, found });
        }
    }
    let (entries, bytes) = archive.passed();
    contents.size = Written { entries, bytes };
    // With trailing bytes, the same states would have streams with different digests.
    let mut after = archive.into_inner().finish();
    if after.read(&mut [0]).map_err(read)? > 0 {
        return Err(StatesError::Follows);
    }
    let missing = |what| {
        move |digest: &Digest| StatesError::Missing {
            what,
            digest: *digest,
        }
    };
    let tree = contents.trees.iter().find(|tree| !trees.contains(tree));
    let blob = contents.blobs.iter().find(|blob| !files.contains_key(blob));
    if let Some(error) = tree
        .map(missing("tree"))
        .or_else(|| blob.map(missing("blob")))
    {
        return Err(error);
    }
    batch.commit()?;
    for tree in &contents.trees {
        let loaded = store.load_tree(tree);
        loaded.map_err(|error| StatesError::Tree(Box::new(error)))?;
    }
    Ok(contents)
}

fn rest(archive: &mut impl Read) -> Result<Vec<u8>, StatesError> {
    let mut bytes = Vec::new();
    archive
        .read_to_end(&mut bytes)
        .map_err(|error| StatesError::Archive(TarError::Read(error)))?;
    Ok(bytes)
}

fn head<R: Read>(archive: &mut Reader<R>) -> Result<Contents, StatesError> {
    let wrong = |reason: &str| StatesError::Head(reason.to_owned());
    match archive.next()? {
        Some(entry) if entry.name == HEAD && !entry.directory => {
            if entry.size > MAX_HEAD {
                return Err(TarError::TooLarge(MAX_HEAD).into());
            }
        }
        _ => return Err(wrong("it is not the first entry")),
    }
    let bytes = rest(archive)?;
    let value: serde_json::Value =
        mcpmark_json::from_unique(&bytes).map_err(|error| wrong(&error.to_string()))?;
    // The version is checked first, because later versions may have other keys.
    if value["schema"] != SCHEMA {
        return Err(wrong(&format!(
            "it has schema {}, but this version of mcpmark reads schema {SCHEMA}",
            value["schema"]
        )));
    }
    serde_json::from_value(value).map_err(|error| wrong(&error.to_string()))
}

/// Checks that everything a directory names comes before it.
fn whole(
    name: &str,
    bytes: &[u8],
    files: &HashMap<Digest, u64>,
    trees: &HashSet<Digest>,
) -> Result<(), StatesError> {
    let entries = entries_of(bytes).map_err(|source| StatesError::Encoding {
        name: name.to_owned(),
        source,
    })?;
    for (_, entry) in entries {
        match entry {
            Entry::Directory(digest) if !trees.contains(&digest) => {
                let what = "tree";
                return Err(StatesError::Missing { what, digest });
            }
            Entry::File(file) => match files.get(&file.content) {
                None => {
                    let (what, digest) = ("file", file.content);
                    return Err(StatesError::Missing { what, digest });
                }
                Some(found) if *found != file.size => {
                    return Err(StatesError::Size {
                        digest: file.content,
                        wanted: file.size,
                        found: *found,
                    });
                }
                Some(_) => {}
            },
            Entry::Directory(_) | Entry::Symlink(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
