//! States and other blobs of a store in one compressed stream, and back.
//!
//! ```text
//! states.json   {"schema":1,"trees":[…],"blobs":[…]}: what the stream is for
//! blobs/<hex>   the bytes of a file, or a blob that is named above
//! trees/<hex>   the encoding of a directory, after all that it names
//! ```
//!
//! All that is in a tree comes before it, so that a reader which has seen a tree has seen the whole of
//! it. The stream is a tar archive, compressed with zstd; the same blobs give the same bytes.

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

/// A compromise: a world of text takes a tenth of its size, and a second for 50 MB.
const LEVEL: i32 = 9;

/// The binary logarithm of the most bytes that whoever decompresses keeps: 8 MiB.
const WINDOW: u32 = 23;

/// The most bytes of what the stream is for: room for some 100,000 digests.
const LARGEST_HEAD: u64 = 16 << 20;

/// The most bytes of the encoding of one directory.
const LARGEST_TREE: u64 = 256 << 20;

/// The most that the states of one world have: more than any service lets a world have.
pub const OF_A_WORLD: Bounds = Bounds {
    entries: 2_000_000,
    bytes: 4 << 30,
};

/// What a stream is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    schema: u32,
    /// The roots of trees.
    pub trees: Vec<Digest>,
    /// Blobs beside them.
    pub blobs: Vec<Digest>,
    /// What the whole stream has, once it was read.
    #[serde(skip)]
    pub size: Written,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Entries of the archive.
    pub entries: u64,
    /// Bytes of the files in the archive, before they were compressed.
    pub bytes: u64,
}

/// Why states cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A blob is not there, or damaged.
    #[error("blob {digest} cannot be read")]
    Blob {
        /// The blob.
        digest: Digest,
        /// What the store says.
        source: io::Error,
    },
    /// A directory of a tree is no directory.
    #[error("tree {digest} cannot be read")]
    Tree {
        /// The directory.
        digest: Digest,
        /// The problem.
        source: EncodingError,
    },
    /// The stream cannot be written.
    #[error("the states cannot be written")]
    Write(#[source] io::Error),
}

/// Why states cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StatesError {
    /// The archive is not one, or larger than allowed.
    #[error(transparent)]
    Archive(#[from] TarError),
    /// The first entry is not what it should be.
    #[error("{HEAD:?} does not say what the states are: {0}")]
    Head(String),
    /// There are more bytes than those of the stream.
    #[error("something follows the end of the states")]
    Follows,
    /// An entry that has no place here.
    #[error("{0:?} has no place among states")]
    Name(String),
    /// Bytes under the name of others.
    #[error("{name:?} has the digest {found}")]
    Digest {
        /// The entry.
        name: String,
        /// Of its bytes.
        found: Digest,
    },
    /// A directory that is none.
    #[error("{name:?} is no directory")]
    Encoding {
        /// The entry.
        name: String,
        /// The problem.
        source: EncodingError,
    },
    /// Something that is named is not there.
    #[error("{what} {digest} is missing")]
    Missing {
        /// `tree`, `file` or `blob`.
        what: &'static str,
        /// Its digest.
        digest: Digest,
    },
    /// A file has another size than its directory says.
    #[error("file {digest} has {found} bytes, and its directory says {wanted}")]
    Size {
        /// The file.
        digest: Digest,
        /// What the directory says.
        wanted: u64,
        /// What it has.
        found: u64,
    },
    /// A tree that no state can be.
    #[error("a tree is not valid")]
    Tree(#[source] Box<LoadError>),
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StatesError {
    /// Whether the host is to blame, and not the stream.
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

/// Writes trees with all that is in them, and blobs beside them. Each is written once.
///
/// # Errors
///
/// When something is missing or damaged, or `out` cannot be written.
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

/// Reads states into a store. Nothing is kept unless all is there and all is what its digest says.
///
/// # Errors
///
/// When the stream is not what [`write`] makes, or has more than `bounds`, or the store cannot be written.
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
                if entry.size > LARGEST_TREE {
                    return Err(TarError::TooLarge(LARGEST_TREE).into());
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
    // What follows would be the same states under other digests.
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
            if entry.size > LARGEST_HEAD {
                return Err(TarError::TooLarge(LARGEST_HEAD).into());
            }
        }
        _ => return Err(wrong("it is not the first entry")),
    }
    let bytes = rest(archive)?;
    let value: serde_json::Value =
        mcpmark_json::from_unique(&bytes).map_err(|error| wrong(&error.to_string()))?;
    // The version first: what a later one has besides is not known here.
    if value["schema"] != SCHEMA {
        return Err(wrong(&format!(
            "it has schema {}, and this mcpmark knows {SCHEMA}",
            value["schema"]
        )));
    }
    serde_json::from_value(value).map_err(|error| wrong(&error.to_string()))
}

/// Whether all that a directory names was there before it.
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
