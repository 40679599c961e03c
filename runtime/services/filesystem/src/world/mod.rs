//! Private copy of a world, and all access to the disk.
//!
//! Symlinks are resolved here, within the world as agents see it, so paths that are passed to the disk contain none. As
//! a second barrier, `cap-std` refuses paths that leave the root.

mod change;
mod move_by_copy;
mod quota;
mod resolve;
mod symlinks;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use mcpmark_service::{SessionLimits, checkpoint};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::profile::Profile;

pub(crate) use quota::{Usage, within};
pub(crate) use resolve::Names;

/// Resolved path.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Absolute path for messages.
    pub(crate) shown: String,
    /// Path below the root, without symlinks except a dangling one at its end.
    pub(crate) on_disk: String,
    /// Kind of the entry. `None` if there is no entry, or only a dangling symlink.
    pub(crate) kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
}

/// Entry of a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// False for a symlink to a directory.
    pub(crate) is_directory: bool,
    pub(crate) is_symlink: bool,
}

/// File metadata, as returned by `stat`.
#[derive(Debug)]
pub(crate) struct Status {
    pub(crate) size: u64,
    /// Time in seconds since 1970-01-01 UTC.
    pub(crate) modified: i64,
    pub(crate) kind: Kind,
    pub(crate) executable: bool,
}

/// Private copy of a world, with its limits.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) root: Dir,
    /// Directory next to the root, on the same file system. Files are written here and renamed into the world.
    pub(crate) staging: Dir,
    pub(crate) profile: Profile,
    pub(crate) clock: i64,
    pub(crate) seed: u64,
    pub(crate) limits: SessionLimits,
    pub(crate) usage: Usage,
    pub(crate) has_symlinks: bool,
    /// Number of temporary names derived so far.
    pub(crate) staged_names: u64,
    /// Cache of directory names for the current call, for lookups in another Unicode form.
    pub(crate) names: RefCell<HashMap<String, Arc<Names>>>,
}

/// Name of the file or directory that is being staged.
const STAGED: &str = "new";

/// Limit of the kernel for paths, in bytes, including the terminating NUL.
const MAX_PATH: usize = 4096;

impl Place {
    /// Returns the error of the kernel for a path without an entry.
    fn missing(&self) -> Errno {
        if self.shown.len() < MAX_PATH {
            Errno::NOENT
        } else {
            Errno::NAMETOOLONG
        }
    }
}

type Outcome<T> = Result<T, Failure>;

impl World {
    /// Returns the maximum size of one tool result, in bytes.
    pub(crate) fn max_result_bytes(&self) -> u64 {
        self.limits.max_result_bytes
    }

    /// Opens a file for reading. `verb` is the system call named in error messages.
    pub(crate) fn open(&self, place: &Place, verb: &str) -> Outcome<File> {
        let during = format!("{verb} '{}'", place.shown);
        match place.kind {
            None => Err(Failure::errno(place.missing(), &during)),
            Some(Kind::Directory) => Err(Failure::errno(Errno::ISDIR, "read")),
            Some(Kind::File) => self
                .root
                .open(&place.on_disk)
                .map_err(|error| Failure::io(&error, &during)),
        }
    }

    /// Reads a file. Fails if it exceeds `limit` bytes.
    pub(crate) fn read(&self, place: &Place, limit: Option<u64>) -> Outcome<Vec<u8>> {
        let mut file = self.open(place, "open")?;
        let size = file.metadata().map_err(|e| Failure::io(&e, "fstat"))?.len();
        if let Some(limit) = limit.filter(|limit| size > *limit) {
            return Err(Failure::tool_error(format!(
                "file of {size} bytes exceeds the limit of {limit} bytes for one tool result, read '{}'",
                place.shown
            )));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        file.read_to_end(&mut bytes)
            .map_err(|error| Failure::io(&error, "read"))?;
        Ok(bytes)
    }

    pub(crate) fn status(&self, place: &Place) -> Outcome<Status> {
        let during = format!("stat '{}'", place.shown);
        let kind = place
            .kind
            .ok_or_else(|| Failure::errno(place.missing(), &during))?;
        if kind == Kind::Directory {
            return Ok(Status {
                // Constant, because the size of a directory differs between file systems.
                size: 4096,
                modified: self.clock,
                kind,
                executable: false,
            });
        }
        let metadata = self
            .root
            .symlink_metadata(&place.on_disk)
            .map_err(|error| Failure::io(&error, &during))?;
        Ok(Status {
            size: metadata.len(),
            modified: metadata.mtime(),
            kind,
            executable: is_executable(&metadata),
        })
    }

    /// Lists a directory, sorted by the bytes of the names.
    pub(crate) fn list(&self, place: &Place) -> Outcome<Vec<Entry>> {
        let during = format!("scandir '{}'", place.shown);
        match place.kind {
            None => return Err(Failure::errno(place.missing(), &during)),
            Some(Kind::File) => return Err(Failure::errno(Errno::NOTDIR, &during)),
            Some(Kind::Directory) => {}
        }
        self.entries(&place.on_disk, &during)
    }

    /// Lists a directory. `during` is the operation named in error messages.
    fn entries(&self, on_disk: &str, during: &str) -> Outcome<Vec<Entry>> {
        let failed = |error| Failure::io(&error, during);
        let mut entries = Vec::new();
        for entry in self.root.read_dir(disk(on_disk)).map_err(failed)? {
            checkpoint()?;
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().into_string();
            let name = name.map_err(|name| io::Error::other(format!("{name:?} is not UTF-8")));
            let kind = entry.file_type().map_err(failed)?;
            entries.push(Entry {
                name: name.map_err(failed)?,
                is_directory: kind.is_dir(),
                is_symlink: kind.is_symlink(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }
}

fn is_executable(metadata: &Metadata) -> bool {
    metadata.mode() & 0o100 != 0
}

pub(crate) fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", _) => name.to_owned(),
        (_, "") => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
}

/// Returns the parent directory of a path below the root.
fn above(on_disk: &str) -> &str {
    on_disk.rsplit_once('/').map_or("", |(above, _)| above)
}

fn is_below(path: &str, directory: &str) -> bool {
    match directory {
        "" => !path.is_empty(),
        _ => path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.starts_with('/')),
    }
}

fn disk(on_disk: &str) -> &str {
    if on_disk.is_empty() { "." } else { on_disk }
}
