//! Storage of blobs: OCI image layouts, as a directory or a tar archive.

mod other_blobs;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mcpmark_archive::tar::{Bounds, Reader, Writer};
use mcpmark_snapshot::Digest;
use serde_json::json;

pub use self::other_blobs::OtherBlobs;
use crate::BundleError;
use crate::oci::{self, Descriptor, Index};
use crate::trust::{self, Attached};

const VERSION: &str = "1.0.0";
const LAYOUT: &str = "oci-layout";
const INDEX: &str = "index.json";
const BLOBS: &str = "blobs/sha256";

/// Maximum size of the file `oci-layout`, in bytes.
const MAX_LAYOUT: u64 = 4096;

/// Limits of the tar archive of a layout.
const ARCHIVE: Bounds = Bounds {
    entries: 200_000,
    bytes: 64 << 30,
};

/// Magic numbers of other archive formats, for a better error message.
const OTHERS: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\0", "compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
];

/// Source of blobs.
pub trait Source {
    /// Opens the blob with this digest. The reader must verify the digest.
    ///
    /// # Errors
    ///
    /// Returns an error if the blob is missing or cannot be read.
    fn open(&self, digest: &Digest) -> io::Result<Box<dyn Read + '_>>;

    /// Reads and verifies the blobs that are not `known`, up to a limit on their total size. The default
    /// implementation, for sources that several bundles share, returns nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if a blob does not match its name or cannot be read.
    fn beside(&self, _known: &BTreeSet<Digest>) -> Result<OtherBlobs, BundleError> {
        Ok(OtherBlobs::default())
    }
}

/// Reads a whole blob and verifies its digest.
///
/// # Errors
///
/// Returns an error if the blob is missing, is larger than `limit`, or does not match its descriptor.
pub fn fetch(
    source: &dyn Source,
    what: &str,
    descriptor: &Descriptor,
    limit: u64,
) -> Result<Vec<u8>, BundleError> {
    let mut bytes = Vec::new();
    copy(source, what, descriptor, limit, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// Streams a blob to `take` and verifies its digest. If this returns an error, discard the streamed content.
///
/// # Errors
///
/// Returns the errors of [`fetch`] and of `take`.
pub fn copy(
    source: &dyn Source,
    what: &str,
    descriptor: &Descriptor,
    limit: u64,
    take: &mut dyn FnMut(&[u8]) -> Result<(), BundleError>,
) -> Result<(), BundleError> {
    let Descriptor { digest, size, .. } = descriptor;
    if *size > limit {
        return Err(BundleError::TooLarge {
            what: what.to_owned(),
            size: *size,
            limit,
        });
    }
    let missing = |source| BundleError::Missing {
        what: what.to_owned(),
        digest: *digest,
        source,
    };
    let mut stream = source.open(digest).map_err(missing)?;
    let mut hasher = Digest::hasher();
    let mut buffer = vec![0; 64 << 10];
    let mut length = 0;
    loop {
        let read = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(missing(error)),
        };
        length += read as u64;
        if length > *size {
            break;
        }
        hasher.update(&buffer[..read]);
        take(&buffer[..read])?;
    }
    if length != *size {
        return Err(BundleError::Length {
            what: what.to_owned(),
            digest: *digest,
            wanted: *size,
        });
    }
    let found = hasher.finish();
    if found == *digest {
        Ok(())
    } else {
        Err(BundleError::Damaged {
            what: what.to_owned(),
            digest: *digest,
            found,
        })
    }
}

/// Removes a layout from a directory, and leaves other files in place.
///
/// # Errors
///
/// Returns an error if a part of the layout cannot be removed.
pub fn clear(dir: &Path) -> Result<(), BundleError> {
    // The index is removed first: without it, the rest is not a layout if removal fails.
    for name in [INDEX, LAYOUT, BLOBS] {
        let place = dir.join(name);
        let removed = if name == BLOBS {
            fs::remove_dir_all(&place)
        } else {
            fs::remove_file(&place)
        };
        match removed {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(BundleError::Write { place, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Directory with blobs, named by their digests.
#[derive(Debug, Clone)]
pub struct BlobDirectory {
    root: PathBuf,
}

impl BlobDirectory {
    /// Creates the blob directory of the layout in a directory, which need not exist.
    pub fn of_layout(root: &Path) -> Self {
        Self {
            root: root.join(BLOBS),
        }
    }

    /// Returns the path of a blob, which need not exist.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join(digest.hex())
    }

    /// Returns the directory for incomplete downloads.
    pub(crate) fn partial(&self) -> PathBuf {
        self.root.join("partial")
    }

    /// Returns the path of the list of a bundle's stored signatures.
    pub(crate) fn signatures(&self, bundle: &Digest) -> PathBuf {
        self.root.join("signatures").join(bundle.hex())
    }

    /// Creates the subdirectories.
    pub(crate) fn prepare(&self) -> Result<(), BundleError> {
        for place in [self.partial(), self.root.join("signatures")] {
            fs::create_dir_all(&place).map_err(|source| BundleError::Write { place, source })?;
        }
        Ok(())
    }

    /// Stores a complete blob.
    pub(crate) fn keep(&self, digest: &Digest, bytes: &[u8]) -> Result<(), BundleError> {
        let place = self.path(digest);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(self.partial())?;
            file.write_all(bytes)?;
            file.persist(&place)?;
            Ok(())
        };
        write().map_err(|source| BundleError::Write {
            place: place.clone(),
            source,
        })
    }
}

impl Source for BlobDirectory {
    fn open(&self, digest: &Digest) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(regular(&self.path(digest))?))
    }
}

/// Opens a regular file. Refuses pipes, which could block, and symlinks.
fn regular(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ))
    }
}

/// OCI image layout.
#[derive(Debug)]
pub struct Layout {
    place: PathBuf,
    index: Index,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Directory(BlobDirectory),
    Archive {
        file: File,
        blobs: BTreeMap<Digest, (u64, u64)>,
        /// First file name in the blob directory that is not a digest.
        odd: Option<String>,
    },
}

impl Layout {
    /// Reports whether a path looks like a layout: a file, or a directory with a file `oci-layout`.
    pub fn looks_like_layout(path: &Path) -> bool {
        path.is_file() || path.join(LAYOUT).is_file()
    }

    /// Opens a layout: a directory or a tar archive.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be read or is not a layout.
    pub fn open(place: &Path) -> Result<Self, BundleError> {
        let read = |source| BundleError::Read {
            place: place.to_owned(),
            source,
        };
        if fs::metadata(place).map_err(read)?.is_dir() {
            Self::of_directory(place)
        } else {
            Self::of_archive(place)
        }
    }

    fn of_directory(place: &Path) -> Result<Self, BundleError> {
        let small = |name: &str, limit| {
            let no_layout = |problem: String| BundleError::NoLayout {
                place: place.to_owned(),
                problem,
            };
            let file = regular(&place.join(name))
                .map_err(|error| no_layout(format!("{name}: {error}")))?;
            let mut bytes = Vec::new();
            file.take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| no_layout(format!("{name}: {error}")))?;
            if bytes.len() as u64 > limit {
                return Err(no_layout(format!(
                    "{name} exceeds the limit of {limit} bytes"
                )));
            }
            Ok(bytes)
        };
        let layout = small(LAYOUT, MAX_LAYOUT)?;
        let index = small(INDEX, oci::MAX_MANIFEST)?;
        for name in ["blobs", BLOBS] {
            let is_link = fs::symlink_metadata(place.join(name)).is_ok_and(|it| it.is_symlink());
            if is_link {
                return Err(BundleError::NoLayout {
                    place: place.to_owned(),
                    problem: format!("{name} is a symlink; expected a directory"),
                });
            }
        }
        Ok(Self {
            place: place.to_owned(),
            index: checked(place, &layout, &index)?,
            content: Content::Directory(BlobDirectory::of_layout(place)),
        })
    }

    fn of_archive(place: &Path) -> Result<Self, BundleError> {
        let read = |source| BundleError::Read {
            place: place.to_owned(),
            source,
        };
        let archive_error = |source| BundleError::Archive {
            place: place.to_owned(),
            source,
        };
        let no_layout = |problem: String| BundleError::NoLayout {
            place: place.to_owned(),
            problem,
        };
        let file = regular(place).map_err(read)?;
        let mut first = [0; 6];
        let length = file.read_at(&mut first, 0).map_err(read)?;
        let other = OTHERS.iter();
        let mut other = other.filter(|(magic, _)| first[..length].starts_with(magic));
        if let Some((_, what)) = other.next() {
            return Err(no_layout(format!(
                "it is {what}; expected an uncompressed tar archive"
            )));
        }
        let mut archive = Reader::new(BufReader::new(&file), ARCHIVE);
        let (mut layout, mut index) = (None, None);
        let (mut blobs, mut odd) = (BTreeMap::new(), None);
        while let Some(entry) = archive.next().map_err(archive_error)? {
            if entry.directory {
                continue;
            }
            let (kept, limit) = match entry.name.as_str() {
                LAYOUT => (&mut layout, MAX_LAYOUT),
                INDEX => (&mut index, oci::MAX_MANIFEST),
                name => {
                    let hex = name
                        .strip_prefix(BLOBS)
                        .and_then(|name| name.strip_prefix('/'));
                    match hex.map(|hex| (hex, format!("sha256:{hex}").parse::<Digest>())) {
                        Some((_, Ok(digest))) => {
                            blobs.insert(digest, (entry.offset, entry.size));
                        }
                        Some((name, Err(_))) => drop(odd.get_or_insert(name.to_owned())),
                        None => {}
                    }
                    continue;
                }
            };
            if entry.size > limit {
                let name = entry.name;
                return Err(no_layout(format!(
                    "{name} exceeds the limit of {limit} bytes"
                )));
            }
            let mut bytes = Vec::new();
            archive.read_to_end(&mut bytes).map_err(read)?;
            *kept = Some(bytes);
        }
        drop(archive);
        let part = |found: Option<Vec<u8>>, name: &str| {
            found.ok_or_else(|| no_layout(format!("{name} is missing")))
        };
        let (layout, index) = (part(layout, LAYOUT)?, part(index, INDEX)?);
        Ok(Self {
            place: place.to_owned(),
            index: checked(place, &layout, &index)?,
            content: Content::Archive { file, blobs, odd },
        })
    }

    /// Returns the index of the layout.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Reads the signatures of a bundle. Skips other artifacts that refer to it, and signatures of unsupported kinds.
    ///
    /// # Errors
    ///
    /// Returns an error if a signature is missing or damaged.
    pub fn signatures(&self, bundle: &Digest) -> Result<Vec<Attached>, BundleError> {
        let listed = self.index.manifests.iter();
        let listed = listed.filter(|it| it.artifact_type.as_deref() == Some(trust::SIGNATURE));
        listed
            .take(trust::MAX_SIGNATURES)
            .filter_map(|descriptor| Attached::read(self, descriptor, bundle).transpose())
            .collect()
    }

    /// Returns the only manifest in the index that has one of the types or no type.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none or more than one.
    pub fn one_of(&self, types: &[&str]) -> Result<&Descriptor, BundleError> {
        let no_layout = |problem: &str| BundleError::NoLayout {
            place: self.place.clone(),
            problem: problem.to_owned(),
        };
        let mut found = self.index.manifests.iter().filter(|descriptor| {
            let kind = descriptor.artifact_type.as_deref();
            kind.is_none_or(|kind| types.contains(&kind))
        });
        match (found.next(), found.next()) {
            (Some(descriptor), None) => Ok(descriptor),
            (None, _) => Err(no_layout("it contains neither a suite nor a task")),
            (Some(_), Some(_)) => Err(no_layout("it contains more than one suite or task")),
        }
    }
}

impl Source for Layout {
    fn open(&self, digest: &Digest) -> io::Result<Box<dyn Read + '_>> {
        match &self.content {
            Content::Directory(blobs) => blobs.open(digest),
            Content::Archive { file, blobs, .. } => {
                let (offset, left) = *blobs.get(digest).ok_or(io::ErrorKind::NotFound)?;
                Ok(Box::new(Part { file, offset, left }))
            }
        }
    }

    fn beside(&self, known: &BTreeSet<Digest>) -> Result<OtherBlobs, BundleError> {
        self.read_others(known, other_blobs::MAX_BYTES)
    }
}

/// Reader of a part of a file. It uses positioned reads, so several readers can share the file.
struct Part<'a> {
    file: &'a File,
    offset: u64,
    left: u64,
}

impl Read for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(buffer.len() as u64) as usize;
        let read = self.file.read_at(&mut buffer[..most], self.offset)?;
        self.offset += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

fn checked(place: &Path, layout: &[u8], index: &[u8]) -> Result<Index, BundleError> {
    let no_layout = |problem: String| BundleError::NoLayout {
        place: place.to_owned(),
        problem,
    };
    let layout: serde_json::Value = mcpmark_json::from_unique(layout)
        .map_err(|error| no_layout(format!("{LAYOUT}: {error}")))?;
    if layout["imageLayoutVersion"] != VERSION {
        let found = &layout["imageLayoutVersion"];
        return Err(no_layout(format!(
            "expected a layout of version \"{VERSION}\", found {found}"
        )));
    }
    let index: Index = oci::parse(INDEX, index)?;
    oci::version(INDEX, index.schema_version)?;
    Ok(index)
}

/// Layout in memory, to be written.
#[derive(Debug, Default)]
pub struct NewLayout {
    blobs: BTreeMap<Digest, Vec<u8>>,
    listed: Vec<Descriptor>,
}

impl NewLayout {
    /// Adds a blob. Returns its descriptor.
    pub fn put(&mut self, media_type: &str, bytes: Vec<u8>) -> Descriptor {
        let descriptor = Descriptor::of(media_type, &bytes);
        self.blobs.insert(descriptor.digest, bytes);
        descriptor
    }

    /// Adds a manifest to the index of the layout, unless it is already there.
    pub fn list(&mut self, descriptor: Descriptor) {
        if !self.listed.contains(&descriptor) {
            self.listed.push(descriptor);
        }
    }

    /// Returns the total size of all blobs, in bytes.
    pub fn bytes(&self) -> u64 {
        self.blobs.values().map(|bytes| bytes.len() as u64).sum()
    }

    fn files(&self) -> impl Iterator<Item = (String, std::borrow::Cow<'_, [u8]>)> {
        let layout = mcpmark_json::canonical(&json!({"imageLayoutVersion": VERSION}));
        let index = mcpmark_json::canonical(&json!(Index {
            schema_version: 2,
            media_type: Some(oci::INDEX.to_owned()),
            artifact_type: None,
            manifests: self.listed.clone(),
            annotations: BTreeMap::new(),
        }));
        let own = [(LAYOUT, layout), (INDEX, index)];
        let own = own.map(|(name, text)| (name.to_owned(), text.into_bytes().into()));
        let blobs = self.blobs.iter();
        let blobs =
            blobs.map(|(digest, bytes)| (format!("{BLOBS}/{}", digest.hex()), bytes.into()));
        own.into_iter().chain(blobs)
    }

    /// Writes the layout to a directory, which must be new or empty.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn write_directory(&self, dir: &Path) -> Result<(), BundleError> {
        let failed = |place: &Path| {
            let place = place.to_owned();
            move |source| BundleError::Write { place, source }
        };
        fs::create_dir_all(dir.join(BLOBS)).map_err(failed(dir))?;
        for (name, bytes) in self.files() {
            let path = dir.join(name);
            fs::write(&path, bytes).map_err(failed(&path))?;
        }
        Ok(())
    }

    /// Writes the layout as a tar archive. Equal layouts have equal bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the archive cannot be written.
    pub fn write_archive(&self, out: impl Write) -> io::Result<()> {
        let mut archive = Writer::new(out);
        archive.directory("blobs/")?;
        archive.directory("blobs/sha256/")?;
        for (name, bytes) in self.files() {
            archive.file(&name, &bytes)?;
        }
        archive.finish()?.flush()
    }
}

impl Source for NewLayout {
    fn open(&self, digest: &Digest) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.blobs.get(digest).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(&bytes[..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_whose_index_cannot_be_removed_keeps_its_blobs() {
        let dir = tempfile::tempdir().unwrap();
        let blob = dir.path().join(BLOBS).join("x");
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(&blob, "blob").unwrap();
        // A directory with a file in it cannot be removed like a file.
        let index = dir.path().join(INDEX);
        fs::create_dir(&index).unwrap();
        fs::write(index.join("file"), "text").unwrap();
        let error = clear(dir.path()).unwrap_err();
        assert!(matches!(error, BundleError::Write { place, .. } if place == index));
        assert!(blob.is_file());
        fs::remove_dir_all(&index).unwrap();
        clear(dir.path()).unwrap();
        assert!(!blob.exists());
    }
}
