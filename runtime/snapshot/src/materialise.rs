//! Materialisation of a tree in a directory.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps};

use crate::symlink::SymlinkError;
use crate::{Blobs, Digest, Node, Tree, TreePath};

const FILE_MODE: u32 = 0o644;
const EXECUTABLE_MODE: u32 = 0o755;
const DIRECTORY_MODE: u32 = 0o755;
/// Size in bytes from which on the kernel copies a blob, by reference if the file system supports it.
const LARGE: u64 = 1 << 20;
/// Minimum number of files per thread.
const FILES_PER_THREAD: usize = 256;
const MAX_THREADS: usize = 4;

/// Options of materialisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialiseOptions {
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z. It becomes the modification time of every entry
    /// without its own time. Without a clock, these entries get the current time of the machine.
    pub clock: Option<i64>,
}

/// Record of a materialised tree, with which a later [`capture`](crate::capture) reads only files that changed since.
#[derive(Clone, Debug)]
pub struct Materialised {
    path: PathBuf,
    files: HashMap<TreePath, Fingerprint>,
    /// Time of the file system at which everything was written.
    settled: Time,
}

/// Seconds and nanoseconds of the clock of the file system.
type Time = (i64, i64);

/// File metadata that changes whenever the file is modified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    pub(crate) modified: Time,
    pub(crate) changed: Time,
    pub(crate) digest: Digest,
}

impl Materialised {
    /// Returns the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Reports whether there are no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn get(&self, path: &TreePath) -> Option<&Fingerprint> {
        self.files.get(path)
    }

    /// Reports whether any later modification of the file changes its change time. Clocks of file systems tick every
    /// few milliseconds, and a file that was written in the last tick can be modified within this tick without a trace.
    pub(crate) fn is_settled(&self, fingerprint: &Fingerprint) -> bool {
        fingerprint.changed < self.settled
    }

    /// Waits until the clock of the file system ticks, for at most a tenth of a second, so that no file counts as
    /// written in the last tick. Call it before other programs get access to the directory. Without it, or if the clock
    /// is slower, a capture reads the files of the last tick again, and its result is still correct.
    pub fn settle(&mut self) -> io::Result<()> {
        let latest = self.files.values().map(|file| file.changed).max();
        for _ in 0..100 {
            self.settled = tick(&self.path)?;
            if latest.is_none_or(|latest| latest < self.settled) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// Writes the tree into `dest`, which becomes a private directory (mode 0700). `dest` is created if it does not exist,
/// and must otherwise be empty. Files are copies, never links to blobs. If writing fails, `dest` is emptied.
pub fn materialise(
    tree: &Tree,
    blobs: &dyn Blobs,
    dest: &Path,
    options: &MaterialiseOptions,
) -> Result<Materialised, MaterialiseError> {
    tree.check_symlinks()?;
    prepare(dest)?;
    write(tree, blobs, dest, options).inspect_err(|_| clear(dest))
}

fn prepare(dest: &Path) -> Result<(), MaterialiseError> {
    let failed = |source| MaterialiseError::Destination {
        dest: dest.to_owned(),
        source,
    };
    match DirBuilder::new().mode(0o700).create(dest) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(dest).map_err(failed)?.is_dir() {
                return Err(failed(io::ErrorKind::NotADirectory.into()));
            }
            if fs::read_dir(dest).map_err(failed)?.next().is_some() {
                return Err(failed(io::ErrorKind::DirectoryNotEmpty.into()));
            }
            fs::set_permissions(dest, fs::Permissions::from_mode(0o700)).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Best effort, because the original error is reported.
fn clear(dest: &Path) {
    for entry in fs::read_dir(dest).into_iter().flatten().flatten() {
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
    }
}

fn write(
    tree: &Tree,
    blobs: &dyn Blobs,
    dest: &Path,
    options: &MaterialiseOptions,
) -> Result<Materialised, MaterialiseError> {
    let destination = |source| MaterialiseError::Destination {
        dest: dest.to_owned(),
        source,
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let root =
        rustix::fs::open(dest, flags, Mode::empty()).map_err(|error| destination(error.into()))?;
    let writer = Writer {
        root,
        blobs,
        clock: options.clock,
    };
    let mut directories = Vec::new();
    let mut files = Vec::new();
    let mut symlinks = Vec::new();
    for (path, node) in tree.walk(&TreePath::root()) {
        match node {
            Node::Directory(_) => directories.push(path),
            Node::File(file) => files.push((path, file)),
            Node::Symlink(symlink) => symlinks.push((path, symlink.target.as_str())),
        }
    }
    for path in &directories {
        writer.directory(path).map_err(|e| failed(path, e))?;
    }
    let files = writer.files(&files)?;
    // Symlinks are created after the files, so that no path of a file leads through a symlink.
    for (path, target) in symlinks {
        writer
            .symlink(&path, target)
            .map_err(|e| failed(&path, e))?;
    }
    // Writing into a directory changes its time, so the deepest directories are first.
    for path in directories.iter().rev().chain([&TreePath::root()]) {
        writer.stamp_directory(path).map_err(|e| failed(path, e))?;
    }
    Ok(Materialised {
        settled: tick(dest).map_err(destination)?,
        path: dest.to_owned(),
        files,
    })
}

/// Returns the current time of the file system of `dest`.
fn tick(dest: &Path) -> io::Result<Time> {
    fs::set_permissions(dest, fs::Permissions::from_mode(0o700))?;
    let metadata = fs::symlink_metadata(dest)?;
    Ok((metadata.ctime(), metadata.ctime_nsec()))
}

struct Writer<'a> {
    root: OwnedFd,
    blobs: &'a dyn Blobs,
    clock: Option<i64>,
}

impl Writer<'_> {
    fn directory(&self, path: &TreePath) -> io::Result<()> {
        let mode = Mode::from_raw_mode(DIRECTORY_MODE as _);
        rustix::fs::mkdirat(&self.root, path.as_str(), mode)?;
        let stat = rustix::fs::statat(&self.root, path.as_str(), AtFlags::SYMLINK_NOFOLLOW)?;
        if Mode::from_raw_mode(stat.st_mode) != mode {
            rustix::fs::chmodat(&self.root, path.as_str(), mode, AtFlags::empty())?;
        }
        Ok(())
    }

    fn symlink(&self, path: &TreePath, target: &str) -> io::Result<()> {
        rustix::fs::symlinkat(target, &self.root, path.as_str())?;
        self.stamp(path)
    }

    fn stamp_directory(&self, path: &TreePath) -> io::Result<()> {
        if path.is_root() {
            return match self.clock {
                Some(clock) => Ok(rustix::fs::futimens(&self.root, &times(clock))?),
                None => Ok(()),
            };
        }
        self.stamp(path)
    }

    fn stamp(&self, path: &TreePath) -> io::Result<()> {
        if let Some(clock) = self.clock {
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            rustix::fs::utimensat(&self.root, path.as_str(), &times(clock), flags)?;
        }
        Ok(())
    }

    fn files(
        &self,
        files: &[(TreePath, &crate::File)],
    ) -> Result<HashMap<TreePath, Fingerprint>, MaterialiseError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (files.len() / FILES_PER_THREAD).clamp(1, cores.min(MAX_THREADS));
        let share = files.len().div_ceil(threads).max(1);
        let work = |part: &[(TreePath, &crate::File)]| {
            let mut buffer = vec![0; 128 << 10];
            part.iter()
                .map(|(path, file)| {
                    let written = self.file(path, file, &mut buffer);
                    let fingerprint = written.map_err(|e| failed(path, e))?;
                    Ok((path.clone(), fingerprint))
                })
                .collect::<Result<Vec<_>, MaterialiseError>>()
        };
        let mut parts = files.chunks(share);
        let first = parts.next().unwrap_or_default();
        std::thread::scope(|scope| {
            let others: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
            let mut written: HashMap<_, _> = work(first)?.into_iter().collect();
            for other in others {
                match other.join() {
                    Ok(part) => written.extend(part?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(written)
        })
    }

    fn file(
        &self,
        path: &TreePath,
        file: &crate::File,
        buffer: &mut [u8],
    ) -> io::Result<Fingerprint> {
        let mode = if file.executable {
            EXECUTABLE_MODE
        } else {
            FILE_MODE
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let out = rustix::fs::openat(
            &self.root,
            path.as_str(),
            flags | OFlags::NOFOLLOW,
            Mode::from_raw_mode(mode as _),
        )?;
        let mut out = File::from(out);
        let size = match self.blobs.open(&file.content)? {
            Some(mut blob) if file.size >= LARGE => io::copy(&mut blob, &mut out)?,
            Some(mut blob) => copy(&mut blob, &mut out, file.size, buffer)?,
            None => {
                let bytes = self.blobs.read(&file.content)?;
                out.write_all(&bytes)?;
                bytes.len() as u64
            }
        };
        if size != file.size {
            return Err(crate::blobs::damaged(&file.content));
        }
        if let Some(time) = file.modified.or(self.clock) {
            rustix::fs::futimens(&out, &times(time))?;
        }
        let mut metadata = out.metadata()?;
        if metadata.mode() & 0o777 != mode {
            out.set_permissions(fs::Permissions::from_mode(mode))?;
            metadata = out.metadata()?;
        }
        Ok(Fingerprint {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            digest: file.content,
        })
    }
}

fn copy(from: &mut File, to: &mut File, expected: u64, buffer: &mut [u8]) -> io::Result<u64> {
    let mut size = 0;
    loop {
        let filled = match from.read(buffer) {
            Ok(0) => return Ok(size),
            Ok(filled) => filled,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all(&buffer[..filled])?;
        size += filled as u64;
        // A short read of a regular file means its end, which saves another read.
        if size == expected && filled < buffer.len() {
            return Ok(size);
        }
    }
}

fn times(seconds: i64) -> Timestamps {
    let time = Timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    };
    Timestamps {
        last_access: time,
        last_modification: time,
    }
}

fn failed(path: &TreePath, source: io::Error) -> MaterialiseError {
    MaterialiseError::Entry {
        path: path.clone(),
        source,
    }
}

/// Error of writing a tree to disk.
#[derive(Debug, thiserror::Error)]
pub enum MaterialiseError {
    /// Directory that cannot be created or is not empty.
    #[error("cannot use {dest:?} as the directory of a world")]
    Destination {
        /// Path of the directory.
        dest: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Error of writing an entry, or of reading the bytes of a file.
    #[error("cannot write {path:?}")]
    Entry {
        /// Path of the entry.
        path: TreePath,
        /// Cause.
        source: io::Error,
    },
    /// Symlink that leads outside.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
}
