//! Whether what was unpacked of a bundle is still what was unpacked.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use crate::BundleError;
use crate::library::write;

/// The file that says what was unpacked.
const SEAL: &str = "unpacked.json";

/// A file or link as it was unpacked.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sealed {
    bytes: u64,
    /// Seconds and nanoseconds: where they are what they were, the content is taken to be.
    modified: (i64, i64),
    digest: Digest,
}

/// Writes down what is in a directory.
pub(crate) fn seal(dir: &Path) -> Result<(), BundleError> {
    let mut sealed = BTreeMap::new();
    for (name, path) in files(dir)? {
        let metadata = fs::symlink_metadata(&path).map_err(read(&path))?;
        let entry = Sealed {
            bytes: metadata.len(),
            modified: modified(&metadata),
            digest: digest(&path, &metadata).map_err(read(&path))?,
        };
        sealed.insert(name, entry);
    }
    let text = serde_json::to_vec(&sealed).map_err(|error| BundleError::Write {
        place: dir.join(SEAL),
        source: error.into(),
    })?;
    write(&dir.join(SEAL), &text)
}

/// How much of a directory is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The content of files whose size or time is another.
    Quick,
    /// All of it.
    Thorough,
}

/// Whether a directory is what was [unpacked](crate::unpack) into it.
///
/// # Errors
///
/// With the first file that is not; or when one cannot be read.
pub fn is_as_unpacked(dir: &Path, look: Look) -> Result<(), BundleError> {
    let changed = |name: &str, problem| BundleError::Unpacked {
        file: dir.join(name),
        problem,
    };
    let seal = dir.join(SEAL);
    let sealed = match fs::read(&seal) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(changed(SEAL, "is gone"));
        }
        Err(error) => return Err(read(&seal)(error)),
    };
    let sealed: BTreeMap<String, Sealed> =
        serde_json::from_slice(&sealed).map_err(|_| changed(SEAL, "was changed"))?;
    let found = files(dir)?;
    if let Some(name) = sealed.keys().find(|name| !found.contains_key(*name)) {
        return Err(changed(name, "is gone"));
    }
    for (name, path) in &found {
        let Some(sealed) = sealed.get(name) else {
            return Err(changed(name, "was added"));
        };
        let metadata = fs::symlink_metadata(path).map_err(read(path))?;
        let is_as_it_was = (metadata.len(), modified(&metadata)) == (sealed.bytes, sealed.modified);
        if (look == Look::Thorough || !is_as_it_was)
            && digest(path, &metadata).map_err(read(path))? != sealed.digest
        {
            return Err(changed(name, "was changed"));
        }
    }
    Ok(())
}

pub(crate) fn read(place: &Path) -> impl FnOnce(io::Error) -> BundleError {
    move |source| BundleError::Read {
        place: place.to_owned(),
        source,
    }
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// Of a file's content, or of where a link leads.
fn digest(path: &Path, metadata: &Metadata) -> io::Result<Digest> {
    if metadata.is_symlink() {
        return Ok(Digest::of(fs::read_link(path)?.as_os_str().as_bytes()));
    }
    if !metadata.is_file() {
        // A pipe would wait for somebody who writes into it.
        return Ok(Digest::of(b""));
    }
    let mut hasher = Digest::hasher();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// All files and links below a directory but the seal, by their names from there.
fn files(dir: &Path) -> Result<BTreeMap<String, PathBuf>, BundleError> {
    let mut found = BTreeMap::new();
    let mut directories = vec![dir.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).map_err(read(&directory))? {
            let entry = entry.map_err(read(&directory))?;
            let path = entry.path();
            if entry.file_type().map_err(read(&path))?.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.strip_prefix(dir).unwrap_or(&path);
            // A name that is no text is not one that was unpacked, and is told as another.
            found.insert(name.to_string_lossy().into_owned(), path);
        }
    }
    found.remove(SEAL);
    Ok(found)
}
