//! The private copy of a world: the one place that touches the disk.
//!
//! Symlinks are resolved here, in the world as agents see it, and the paths handed to the disk
//! have none left. `cap-std` would refuse whatever escaped nevertheless.

use std::io::{self, Read, Write};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Digest, TreePath};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::path;

/// The kernel follows as many symlinks for one path.
const MAX_HOPS: usize = 40;

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

/// The private copy, and what it may hold.
#[derive(Debug)]
pub(crate) struct World {
    root: Dir,
    /// Beside the root, on the same file system: files are written here and moved in whole.
    staging: Dir,
    clock: i64,
    seed: u64,
    limits: SessionLimits,
    usage: Usage,
    has_symlinks: bool,
    writes: u64,
}

/// What a world holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) bytes: u64,
    /// Files, directories and symlinks.
    pub(crate) entries: u64,
}

type Outcome<T> = Result<T, Failure>;

impl World {
    pub(crate) fn new(
        root: Dir,
        staging: Dir,
        clock: i64,
        seed: u64,
        limits: SessionLimits,
        usage: Usage,
        has_symlinks: bool,
    ) -> Self {
        Self {
            root,
            staging,
            clock,
            seed,
            limits,
            usage,
            has_symlinks,
            writes: 0,
        }
    }

    pub(crate) fn clock(&self) -> i64 {
        self.clock
    }

    /// The most bytes that one result may have.
    pub(crate) fn max_result_bytes(&self) -> u64 {
        self.limits.max_result_bytes
    }

    /// Resolves a path as an agent writes it; nothing need be there, but its directory must be.
    pub(crate) fn resolve(&self, requested: &str) -> Outcome<Place> {
        let absolute = path::absolute(requested)?;
        let below = path::below_root(&absolute).unwrap_or_default();
        match self.follow(below) {
            Ok((on_disk, kind)) => Ok(Place {
                shown: path::shown(&on_disk),
                on_disk,
                kind: Some(kind),
            }),
            Err(Lost::Missing) => {
                let parent = path::parent(&absolute);
                let directory = path::below_root(parent).map(|below| self.follow(below));
                let Some(Ok((directory, Kind::Directory))) = directory else {
                    return Err(path::no_parent(parent));
                };
                let name = absolute.rsplit('/').next().unwrap_or_default();
                Ok(Place {
                    on_disk: join(&directory, name),
                    kind: None,
                    shown: absolute,
                })
            }
            Err(Lost::Outside(target)) => Err(path::outside("symlink target", &target)),
            Err(Lost::Errno(errno)) => {
                Err(Failure::errno(errno, &format!("realpath '{absolute}'")))
            }
        }
    }

    /// Resolves an entry that a listing gave: a path below the root, symlinks in it allowed.
    pub(crate) fn resolve_entry(&self, below: &str) -> Outcome<Place> {
        self.resolve(&path::shown(below))
    }

    fn follow(&self, below: &str) -> Result<(String, Kind), Lost> {
        let mut on_disk = String::new();
        let mut kind = Kind::Directory;
        let mut ahead: Vec<String> = below.split('/').rev().map(str::to_owned).collect();
        let mut hops = 0;
        while let Some(name) = ahead.pop() {
            if kind == Kind::File {
                return Err(Lost::Errno(Errno::NOTDIR));
            }
            if name.is_empty() || name == "." {
                continue;
            }
            if name == ".." {
                if on_disk.is_empty() {
                    ahead.push("..".to_owned());
                    return Err(Lost::Outside(rest(ROOT_DIRECTORY, ahead)));
                }
                on_disk.truncate(on_disk.rfind('/').unwrap_or(0));
                continue;
            }
            if name.len() > 255 {
                return Err(Lost::Errno(Errno::NAMETOOLONG));
            }
            let next = join(&on_disk, &name);
            let metadata = self.root.symlink_metadata(&next).map_err(Lost::from)?;
            if metadata.is_symlink() {
                hops += 1;
                if hops > MAX_HOPS {
                    return Err(Lost::Errno(Errno::LOOP));
                }
                let target = self.root.read_link_contents(&next).map_err(Lost::from)?;
                let target = target.to_string_lossy().into_owned();
                ahead.extend(target.split('/').rev().map(str::to_owned));
                if target.starts_with('/') {
                    return Err(Lost::Outside(rest("/", ahead)));
                }
                continue;
            }
            kind = kind_of(&metadata);
            on_disk = next;
        }
        Ok((on_disk, kind))
    }

    /// Opens a file to read it; `verb` is the system call that a message names.
    pub(crate) fn open(&self, place: &Place, verb: &str) -> Outcome<File> {
        let during = format!("{verb} '{}'", place.shown);
        match place.kind {
            None => Err(Failure::errno(Errno::NOENT, &during)),
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
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| Failure::io(&error, "read"))?;
        Ok(bytes)
    }

    pub(crate) fn status(&self, place: &Place) -> Outcome<Status> {
        let during = format!("stat '{}'", place.shown);
        let kind = place
            .kind
            .ok_or_else(|| Failure::errno(Errno::NOENT, &during))?;
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
            modified: cap_std::fs::MetadataExt::mtime(&metadata),
            kind,
            executable: cap_std::fs::MetadataExt::mode(&metadata) & 0o100 != 0,
        })
    }

    /// What a directory holds, sorted by the bytes of the names.
    pub(crate) fn list(&self, place: &Place) -> Outcome<Vec<Entry>> {
        let during = format!("scandir '{}'", place.shown);
        match place.kind {
            None => return Err(Failure::errno(Errno::NOENT, &during)),
            Some(Kind::File) => return Err(Failure::errno(Errno::NOTDIR, &during)),
            Some(Kind::Directory) => {}
        }
        self.entries(&place.on_disk)
            .map_err(|error| Failure::io(&error, &during))
    }

    fn entries(&self, on_disk: &str) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in self.root.read_dir(disk(on_disk))? {
            let entry = entry?;
            let name = entry.file_name().into_string();
            entries.push(Entry {
                name: name.map_err(|name| io::Error::other(format!("{name:?} is not UTF-8")))?,
                is_directory: entry.file_type()?.is_dir(),
            });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    /// Replaces a file, or makes one, in whole or not at all.
    pub(crate) fn write(&mut self, place: &Place, bytes: &[u8]) -> Outcome<()> {
        let shown = &place.shown;
        if place.kind == Some(Kind::Directory) {
            let staged = self.staged_name(shown);
            let during = format!("rename '{shown}.{staged}.tmp' -> '{shown}'");
            return Err(Failure::errno(Errno::ISDIR, &during));
        }
        let during = format!("write '{shown}'");
        let before = self.weigh(&place.on_disk);
        if place.kind.is_none() && before.entries == 0 {
            self.creatable(&place.on_disk, &format!("open '{shown}'"))?;
        } else if place.kind.is_none() {
            self.keep_symlinks_inside(|path| (path != place.on_disk).then(|| path.to_owned()))?;
        }
        let after = Usage {
            bytes: bytes.len() as u64,
            entries: 1,
        };
        let usage = self.charge(before, after, &during)?;
        let written = self.stage(bytes).and_then(|()| {
            self.staging
                .rename(STAGED, &self.root, disk(&place.on_disk))
        });
        if let Err(error) = written {
            // Nothing more can be done for the staged file: it is outside the world, and goes
            // with it.
            let _ = self.staging.remove_file(STAGED);
            return Err(Failure::io(&error, &during));
        }
        self.usage = usage;
        Ok(())
    }

    fn stage(&self, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o644);
        let mut file = self.staging.open_with(STAGED, &options)?;
        file.write_all(bytes)?;
        file.into_std().set_modified(system_time(self.clock))
    }

    /// A name that is derived where the real server draws one at random.
    fn staged_name(&mut self, shown: &str) -> String {
        self.writes += 1;
        let origin = format!("{} {} {shown}", self.seed, self.writes);
        Digest::of(origin.as_bytes()).hex()[..32].to_owned()
    }

    pub(crate) fn create_directory(&mut self, place: &Place) -> Outcome<()> {
        let during = format!("mkdir '{}'", place.shown);
        match place.kind {
            Some(Kind::Directory) => return Ok(()),
            Some(Kind::File) => return Err(Failure::errno(Errno::EXIST, &during)),
            None => {}
        }
        if self.weigh(&place.on_disk).entries > 0 {
            return Err(Failure::errno(Errno::NOENT, &during));
        }
        self.creatable(&place.on_disk, &during)?;
        let added = Usage {
            bytes: 0,
            entries: 1,
        };
        let usage = self.charge(Usage::default(), added, &during)?;
        self.root
            .create_dir(&place.on_disk)
            .map_err(|error| Failure::io(&error, &during))?;
        self.usage = usage;
        Ok(())
    }

    /// Moves an entry; replaces a file that is at the target.
    pub(crate) fn rename(&mut self, from: &Place, to: &Place) -> Outcome<()> {
        let during = format!("rename '{}' -> '{}'", from.shown, to.shown);
        let refused = |errno| Err(Failure::errno(errno, &during));
        let moved = self.weigh(&from.on_disk);
        if !from.on_disk.is_empty() && moved.entries == 0 {
            return refused(Errno::NOENT);
        }
        if from.on_disk == to.on_disk {
            return Ok(());
        }
        if is_below(&to.on_disk, &from.on_disk) {
            return refused(Errno::INVAL);
        }
        if is_below(&from.on_disk, &to.on_disk) {
            return refused(Errno::NOTEMPTY);
        }
        self.creatable(&to.on_disk, &during)?;
        if from.kind == Some(Kind::Directory) {
            self.fits(&from.on_disk, &to.on_disk, &during)?;
        }
        self.keep_symlinks_inside(|path| {
            if path == from.on_disk || is_below(path, &from.on_disk) {
                Some(format!("{}{}", to.on_disk, &path[from.on_disk.len()..]))
            } else if path == to.on_disk || is_below(path, &to.on_disk) {
                None
            } else {
                Some(path.to_owned())
            }
        })?;
        let displaced = self.weigh(&to.on_disk);
        self.root
            .rename(&from.on_disk, &self.root, &to.on_disk)
            .map_err(|error| Failure::io(&error, &during))?;
        self.usage.bytes -= displaced.bytes;
        self.usage.entries -= displaced.entries;
        Ok(())
    }

    /// What stands at a path itself, nothing below it counted; zero where nothing does.
    fn weigh(&self, on_disk: &str) -> Usage {
        match self.root.symlink_metadata(disk(on_disk)) {
            Ok(metadata) => Usage {
                bytes: if metadata.is_file() {
                    metadata.len()
                } else {
                    0
                },
                entries: 1,
            },
            Err(_) => Usage::default(),
        }
    }

    /// The usage after a change, or which limit it would exceed.
    fn charge(&self, before: Usage, after: Usage, during: &str) -> Outcome<Usage> {
        let usage = Usage {
            bytes: (self.usage.bytes + after.bytes).saturating_sub(before.bytes),
            entries: (self.usage.entries + after.entries).saturating_sub(before.entries),
        };
        let SessionLimits {
            max_bytes,
            max_files,
            ..
        } = self.limits;
        if usage.bytes > max_bytes && usage.bytes > self.usage.bytes {
            return Err(Failure::said(format!(
                "ENOSPC: world size limit of {max_bytes} bytes would be exceeded, {during}"
            )));
        }
        if usage.entries > max_files && usage.entries > self.usage.entries {
            return Err(Failure::said(format!(
                "ENOSPC: world limit of {max_files} files and directories would be exceeded, {during}"
            )));
        }
        Ok(usage)
    }

    /// Whether a snapshot can hold an entry of this path.
    fn creatable(&self, on_disk: &str, during: &str) -> Outcome<()> {
        match TreePath::parse(on_disk) {
            Ok(_) => Ok(()),
            Err(_) => Err(Failure::errno(Errno::NAMETOOLONG, during)),
        }
    }

    /// Whether a snapshot can hold all that is below a directory after it is moved.
    fn fits(&self, from: &str, to: &str, during: &str) -> Outcome<()> {
        let mut directories = vec![String::new()];
        while let Some(below) = directories.pop() {
            let entries = self.entries(&join(from, &below));
            for entry in entries.map_err(|error| Failure::io(&error, during))? {
                let below = join(&below, &entry.name);
                self.creatable(&join(to, &below), during)?;
                if entry.is_directory {
                    directories.push(below);
                }
            }
        }
        Ok(())
    }

    /// Refuses a change after which a symlink would lead outside. `moved` tells where the entry
    /// at a path will be; none where it goes away.
    fn keep_symlinks_inside(&self, moved: impl Fn(&str) -> Option<String>) -> Outcome<()> {
        if !self.has_symlinks {
            return Ok(());
        }
        let refused =
            |error: &dyn std::fmt::Display| Failure::said(format!("Access denied - {error}"));
        let host = |error: io::Error| Failure::io(&error, "scandir");
        let mut after = mcpmark_snapshot::TreeBuilder::new();
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            for entry in self.entries(&directory).map_err(host)? {
                let path = join(&directory, &entry.name);
                if entry.is_directory {
                    directories.push(path.clone());
                }
                let Some(target) = moved(&path) else {
                    continue;
                };
                let place = TreePath::parse(&target).map_err(|error| refused(&error))?;
                let metadata = self.root.symlink_metadata(&path).map_err(host)?;
                let added = if entry.is_directory {
                    after.create_directory(&place)
                } else if metadata.is_symlink() {
                    let target = self.root.read_link_contents(&path).map_err(host)?;
                    after.insert_symlink(&place, &target.to_string_lossy())
                } else {
                    after.insert_file(
                        &place,
                        mcpmark_snapshot::File {
                            size: 0,
                            executable: false,
                            modified: None,
                            content: Digest::of(b""),
                        },
                    )
                };
                added.map_err(|error| refused(&error))?;
            }
        }
        after
            .finish()
            .check_symlinks()
            .map_err(|error| refused(&error))
    }
}

/// The name of a file that is being written.
const STAGED: &str = "file";

const ROOT_DIRECTORY: &str = path::ROOT;

/// Where a path leads that leaves the world at `from`.
fn rest(from: &str, ahead: Vec<String>) -> String {
    let names: Vec<String> = ahead.into_iter().rev().collect();
    path::resolve(&format!("{from}/{}", names.join("/")))
}

/// Why a path could not be resolved.
enum Lost {
    Missing,
    Outside(String),
    Errno(Errno),
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        match Errno::from_io_error(&error).unwrap_or(Errno::IO) {
            Errno::NOENT => Self::Missing,
            errno => Self::Errno(errno),
        }
    }
}

fn kind_of(metadata: &Metadata) -> Kind {
    if metadata.is_dir() {
        Kind::Directory
    } else {
        Kind::File
    }
}

pub(crate) fn join(directory: &str, name: &str) -> String {
    match (directory, name) {
        ("", _) => name.to_owned(),
        (_, "") => directory.to_owned(),
        _ => format!("{directory}/{name}"),
    }
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

fn system_time(seconds: i64) -> SystemTime {
    let span = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        SystemTime::UNIX_EPOCH - span
    } else {
        SystemTime::UNIX_EPOCH + span
    }
}
