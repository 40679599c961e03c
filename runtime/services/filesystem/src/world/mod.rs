//! The private copy of a world: the one place that touches the disk.
//!
//! Symlinks are resolved here, in the world as agents see it, and the paths handed to the disk
//! have none left. `cap-std` would refuse whatever escaped nevertheless.

mod change;
mod quota;
mod resolve;
mod symlinks;
mod transplant;

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

/// A path that has been resolved.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The absolute path as messages show it.
    pub(crate) shown: String,
    /// The path below the root, free of symlinks save a dangling one at its end.
    pub(crate) on_disk: String,
    /// What is there; none where nothing is, or a dangling symlink.
    pub(crate) kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
}

/// One entry of a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Not so for a symlink to a directory.
    pub(crate) is_directory: bool,
    pub(crate) is_symlink: bool,
}

/// What `stat` tells.
#[derive(Debug)]
pub(crate) struct Status {
    pub(crate) size: u64,
    /// Unix seconds.
    pub(crate) modified: i64,
    pub(crate) kind: Kind,
    pub(crate) executable: bool,
}

/// What a world is made of, and what it may hold.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) root: Dir,
    /// Beside the root, on the same file system: files are written here and moved in whole.
    pub(crate) staging: Dir,
    pub(crate) profile: Profile,
    pub(crate) clock: i64,
    pub(crate) seed: u64,
    pub(crate) limits: SessionLimits,
    pub(crate) usage: Usage,
    pub(crate) has_symlinks: bool,
    /// Temporary names that were shown so far.
    pub(crate) staged_names: u64,
    /// Directories in which this call looked for names in another Unicode form.
    pub(crate) names: RefCell<HashMap<String, Arc<Names>>>,
}

/// The name of what is being written.
const STAGED: &str = "new";

/// The kernel takes paths shorter than this, in bytes.
const MAX_PATH: usize = 4096;

impl Place {
    /// What the kernel says of a path where nothing is.
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
    /// The most bytes that one result may have.
    pub(crate) fn max_result_bytes(&self) -> u64 {
        self.limits.max_result_bytes
    }

    /// Opens a file to read it; `verb` is the system call that a message names.
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

    /// The bytes of a file, which must be at most `limit` where one is given.
    pub(crate) fn read(&self, place: &Place, limit: Option<u64>) -> Outcome<Vec<u8>> {
        let mut file = self.open(place, "open")?;
        let size = file.metadata().map_err(|e| Failure::io(&e, "fstat"))?.len();
        if let Some(limit) = limit.filter(|limit| size > *limit) {
            return Err(Failure::said(format!(
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
                // What the size of a directory is differs by file system.
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

    /// What a directory holds, sorted by the bytes of the names.
    pub(crate) fn list(&self, place: &Place) -> Outcome<Vec<Entry>> {
        let during = format!("scandir '{}'", place.shown);
        match place.kind {
            None => return Err(Failure::errno(place.missing(), &during)),
            Some(Kind::File) => return Err(Failure::errno(Errno::NOTDIR, &during)),
            Some(Kind::Directory) => {}
        }
        self.entries(&place.on_disk, &during)
    }

    /// What a directory holds; `during` is what a message says was done.
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

/// The directory of a path below the root.
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
