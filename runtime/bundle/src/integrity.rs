//! Integrity check of unpacked bundles: comparison with a record of the unpacked files.

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

/// File with the record of the unpacked files.
const RECORD: &str = "unpacked.json";

/// State of a file or symlink when it was unpacked.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileRecord {
    bytes: u64,
    /// Modification time in seconds and nanoseconds. If size and time are unchanged, the content counts as unchanged in
    /// a quick check.
    modified: (i64, i64),
    digest: Digest,
}

/// Writes the record of all files in a directory.
pub(crate) fn write_integrity_record(dir: &Path) -> Result<(), BundleError> {
    let mut recorded = BTreeMap::new();
    for (name, path) in files(dir)? {
        let metadata = fs::symlink_metadata(&path).map_err(read(&path))?;
        let entry = FileRecord {
            bytes: metadata.len(),
            modified: modified(&metadata),
            digest: digest(&path, &metadata).map_err(read(&path))?,
        };
        recorded.insert(name, entry);
    }
    let text = serde_json::to_vec(&recorded).map_err(|error| BundleError::Write {
        place: dir.join(RECORD),
        source: error.into(),
    })?;
    write(&dir.join(RECORD), &text)
}

/// Depth of the integrity check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckDepth {
    /// Reads only files whose size or modification time has changed.
    Quick,
    /// Reads all files.
    Thorough,
}

/// Checks that a directory has the content that was [unpacked](crate::unpack) to it.
///
/// # Errors
///
/// Returns an error with the first file that differs, or if a file cannot be read.
pub fn matches_integrity_record(dir: &Path, look: CheckDepth) -> Result<(), BundleError> {
    let changed = |name: &str, problem| BundleError::Unpacked {
        file: dir.join(name),
        problem,
    };
    let record = dir.join(RECORD);
    let recorded = match fs::read(&record) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(changed(RECORD, "was removed"));
        }
        Err(error) => return Err(read(&record)(error)),
    };
    let recorded: BTreeMap<String, FileRecord> =
        serde_json::from_slice(&recorded).map_err(|_| changed(RECORD, "was changed"))?;
    let found = files(dir)?;
    if let Some(name) = recorded.keys().find(|name| !found.contains_key(*name)) {
        return Err(changed(name, "was removed"));
    }
    for (name, path) in &found {
        let Some(recorded) = recorded.get(name) else {
            return Err(changed(name, "was added"));
        };
        let metadata = fs::symlink_metadata(path).map_err(read(path))?;
        let is_as_it_was =
            (metadata.len(), modified(&metadata)) == (recorded.bytes, recorded.modified);
        if (look == CheckDepth::Thorough || !is_as_it_was)
            && digest(path, &metadata).map_err(read(path))? != recorded.digest
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

/// Returns the digest of a file's content or of a symlink's target.
fn digest(path: &Path, metadata: &Metadata) -> io::Result<Digest> {
    if metadata.is_symlink() {
        return Ok(Digest::of(fs::read_link(path)?.as_os_str().as_bytes()));
    }
    if !metadata.is_file() {
        // Opening a pipe would block.
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

/// Lists all files and symlinks in a directory and its subdirectories except the record, by relative path.
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
            // Unpacked names are UTF-8, so a lossy name is reported as an added file.
            found.insert(name.to_string_lossy().into_owned(), path);
        }
    }
    found.remove(RECORD);
    Ok(found)
}
