//! File system of the WASI profile: several snapshots as directories below one root.
#![expect(
    unreachable_pub,
    reason = "the bindings re-export the types of resources"
)]

use std::cell::Cell;
use std::collections::VecDeque;

use mcpmark_snapshot::{Directory, File, Node, Snapshot};
use sha2::{Digest as _, Sha256};

use crate::wasi::bindings::wasi::filesystem::types::ErrorCode;

/// Maximum number of symlinks followed in one path, as in Linux.
const MAX_HOPS: u32 = 40;
/// Maximum length of a path, in bytes.
const MAX_PATH: usize = 4096;
/// Maximum length of a file name, in bytes.
const MAX_NAME: usize = 255;
/// Maximum size of a window, the part of a file that is cached. Smaller files are cached whole.
const WINDOW: u64 = 1 << 20;
/// Minimum number of bytes loaded by a jump within a larger file. Reads that continue from there load whole windows.
const JUMP: u64 = 64 << 10;
/// Maximum number of windows that are cached at once, because scripts compare files alternately.
const WINDOWS: usize = 8;

/// Snapshot that a script sees as a directory below `/`.
#[derive(Debug, Clone)]
pub struct Mount {
    /// Name of the directory: `state` is visible as `/state`.
    pub name: String,
    /// Content of the directory.
    pub snapshot: Snapshot,
}

/// Files of a script, with a cache of the parts that were read.
pub(crate) struct Files {
    /// Mounts, sorted by name.
    mounts: Vec<Mount>,
    /// Cached windows, the most recently used one first.
    windows: VecDeque<Window>,
    /// Bytes loaded into windows that were not charged yet.
    loaded: u64,
    /// Path segments that were followed and not charged yet.
    walked: Cell<u64>,
}

/// Cached part of a file.
struct Window {
    mount: usize,
    file: File,
    start: u64,
    bytes: Vec<u8>,
}

/// Resolved path: the names that lead from the root to a node, with the node of each. Symlinks are resolved, except one
/// at the end. The empty path is the root.
#[derive(Debug, Clone, Default)]
pub struct ResolvedPath(Vec<(String, Entry)>);

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) mount: usize,
    pub(crate) node: Node,
}

impl ResolvedPath {
    /// Returns the number of names in the path.
    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Returns the node at the end of the path, or `None` for the root.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.0.last().map(|(_, entry)| entry)
    }

    /// Returns the directory at the end of the path, if it is one.
    pub(crate) fn directory(&self) -> Option<Kind<'_>> {
        match self.entry() {
            None => Some(Kind::Root),
            Some(entry) => entry.node.as_directory().map(Kind::Directory),
        }
    }

    /// Returns a hash of the path in two halves, which is the same in every grade.
    pub(crate) fn number(&self) -> (u64, u64) {
        let mut hasher = Sha256::new();
        for (name, _) in &self.0 {
            hasher.update(b"/");
            hasher.update(name);
        }
        let hash: [u8; 32] = hasher.finalize().into();
        let half = |range: std::ops::Range<usize>| {
            let bytes = hash.get(range).and_then(|bytes| bytes.try_into().ok());
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        (half(0..8), half(8..16))
    }
}

/// Directory, or the root with all mounts.
pub(crate) enum Kind<'a> {
    Root,
    Directory(&'a Directory),
}

impl Files {
    pub(crate) fn new(mut mounts: Vec<Mount>) -> Self {
        mounts.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            mounts,
            windows: VecDeque::new(),
            loaded: 0,
            walked: Cell::new(0),
        }
    }

    /// Returns the bytes loaded from the store since the last call, and resets the count. Small reads at distant
    /// offsets cost the host far more than the bytes that they return.
    pub(crate) fn take_loaded(&mut self) -> u64 {
        std::mem::take(&mut self.loaded)
    }

    /// Returns the number of path segments followed since the last call, and resets the count. A short path may lead
    /// through symlinks with many segments.
    pub(crate) fn take_walked(&self) -> u64 {
        self.walked.take()
    }

    /// Returns the entries of a directory, sorted by the bytes of their names.
    pub(crate) fn list(&self, directory: &Kind<'_>) -> Vec<(String, Node)> {
        match directory {
            Kind::Root => {
                let root = |mount: &Mount| Node::Directory(mount.snapshot.tree.root().clone());
                let mounts = self.mounts.iter();
                mounts.map(|it| (it.name.clone(), root(it))).collect()
            }
            Kind::Directory(directory) => directory
                .iter()
                .map(|(name, node)| (name.to_owned(), node.clone()))
                .collect(),
        }
    }

    fn child(&self, place: &ResolvedPath, name: &str) -> Result<Entry, ErrorCode> {
        let found = match place.entry() {
            None => self
                .mounts
                .iter()
                .position(|mount| mount.name == name)
                .map(|mount| Entry {
                    mount,
                    node: Node::Directory(self.mounts[mount].snapshot.tree.root().clone()),
                }),
            Some(Entry { mount, node }) => node
                .as_directory()
                .ok_or(ErrorCode::NotDirectory)?
                .get(name)
                .map(|node| Entry {
                    mount: *mount,
                    node: node.clone(),
                }),
        };
        found.ok_or(ErrorCode::NoEntry)
    }

    /// Resolves `path` from the directory `base`. Follows a symlink at its end if `follow` is true. Paths that leave
    /// `base` are refused.
    pub(crate) fn resolve(
        &self,
        base: &ResolvedPath,
        path: &str,
        follow: bool,
    ) -> Result<ResolvedPath, ErrorCode> {
        let mut place = base.clone();
        self.go(&mut place, path, follow).map(|()| place)
    }

    /// Moves `place` from a directory to the target of `path`. On an error, `place` is the last node that exists on the
    /// way.
    fn go(&self, place: &mut ResolvedPath, path: &str, follow: bool) -> Result<(), ErrorCode> {
        check(path)?;
        let floor = place.0.len();
        let mut ahead: Vec<String> = segments(path);
        let whole = path.ends_with('/');
        let mut hops = 0;
        self.walk(floor + ahead.len());
        while let Some(name) = ahead.pop() {
            if place.directory().is_none() {
                return Err(ErrorCode::NotDirectory);
            }
            if name == ".." {
                if place.0.len() <= floor {
                    return Err(ErrorCode::NotPermitted);
                }
                place.0.pop();
                continue;
            }
            if name.len() > MAX_NAME {
                return Err(ErrorCode::NameTooLong);
            }
            let entry = self.child(place, &name)?;
            match entry.node.as_symlink() {
                Some(link) if follow || whole || !ahead.is_empty() => {
                    hops += 1;
                    if hops > MAX_HOPS {
                        return Err(ErrorCode::Loop);
                    }
                    if link.target.starts_with('/') {
                        return Err(ErrorCode::NotPermitted);
                    }
                    let target = segments(&link.target);
                    self.walk(target.len());
                    ahead.extend(target);
                }
                _ => place.0.push((name, entry)),
            }
        }
        if whole && place.directory().is_none() {
            return Err(ErrorCode::NotDirectory);
        }
        Ok(())
    }

    fn walk(&self, segments: usize) {
        self.walked.set(self.walked.get() + segments as u64);
    }

    /// Returns the error for creating something at `path`. Other machines have writable directories next to the mounts,
    /// such as `/tmp`; creating something in one of them yields the same error as in a mount.
    pub(crate) fn refuse_creation(&self, base: &ResolvedPath, path: &str) -> ErrorCode {
        if let Err(error) = check(path) {
            return error;
        }
        let path = path.trim_end_matches('/');
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        let mut place = base.clone();
        match self.go(&mut place, parent, true) {
            Ok(()) if place.directory().is_none() => ErrorCode::NotDirectory,
            Ok(()) if name.len() > MAX_NAME => ErrorCode::NameTooLong,
            Ok(()) => ErrorCode::ReadOnly,
            Err(ErrorCode::NoEntry) if place.depth() == 0 => ErrorCode::ReadOnly,
            Err(error) => error,
        }
    }

    /// Reads at most `length` bytes of a file from `offset`. Returns fewer at the end of the file, and never more than
    /// a window has.
    pub(crate) fn read(
        &mut self,
        mount: usize,
        file: &File,
        offset: u64,
        length: u64,
    ) -> std::io::Result<&[u8]> {
        let length = length.min(file.size.saturating_sub(offset));
        if length == 0 {
            return Ok(&[]);
        }
        let of_file =
            |window: &Window| window.mount == mount && window.file.content == file.content;
        let inside = |window: &Window| {
            let end = window.start + window.bytes.len() as u64;
            of_file(window) && (window.start..end).contains(&offset)
        };
        let window = match self.windows.iter().position(inside) {
            Some(number) => self.windows.remove(number),
            None => None,
        };
        let window = match window {
            Some(window) => window,
            None => {
                let ends_here = |window: &Window| {
                    of_file(window) && window.start + window.bytes.len() as u64 == offset
                };
                let follows = self.windows.iter().position(ends_here);
                let span = match follows {
                    _ if file.size <= WINDOW => file.size,
                    None if offset > 0 => JUMP.max(length.min(WINDOW)),
                    _ => WINDOW,
                };
                // Drop the window that ends here.
                follows.map(|number| self.windows.remove(number));
                self.load(mount, file, offset, span)?
            }
        };
        self.windows.truncate(WINDOWS - 1);
        self.windows.push_front(window);
        let window = &self.windows[0];
        let from = (offset - window.start) as usize;
        let to = window.bytes.len().min(from.saturating_add(length as usize));
        Ok(&window.bytes[from..to])
    }

    /// Reads at most `span` bytes of a file from `offset`, or the whole file if it is small.
    fn load(
        &mut self,
        mount: usize,
        file: &File,
        offset: u64,
        span: u64,
    ) -> std::io::Result<Window> {
        let blobs = &self.mounts[mount].snapshot.blobs;
        // The store checks the digest of a blob that is read whole.
        let (start, bytes) = if file.size <= WINDOW {
            (0, blobs.read(&file.content)?)
        } else {
            (offset, blobs.read_range(&file.content, offset, span)?)
        };
        let due = file.size.min(start + span) - start;
        if bytes.len() as u64 != due {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                format!(
                    "blob {} is damaged: expected {due} bytes, found {}",
                    file.content,
                    bytes.len()
                ),
            ));
        }
        self.loaded += due;
        Ok(Window {
            mount,
            file: file.clone(),
            start,
            bytes,
        })
    }
}

fn check(path: &str) -> Result<(), ErrorCode> {
    match path {
        "" => Err(ErrorCode::NoEntry),
        _ if path.len() > MAX_PATH => Err(ErrorCode::NameTooLong),
        _ if path.contains('\0') => Err(ErrorCode::Invalid),
        _ if path.starts_with('/') => Err(ErrorCode::NotPermitted),
        _ => Ok(()),
    }
}

/// Returns the segments of a path without empty ones and `.`, the last one first.
fn segments(path: &str) -> Vec<String> {
    path.split('/')
        .rev()
        .filter(|segment| !matches!(*segment, "" | "."))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpmark_snapshot::{MemoryBlobs, TreeBuilder, TreePath};

    use super::*;

    fn files() -> Files {
        let blobs = MemoryBlobs::new();
        let mut tree = TreeBuilder::new();
        let path = |text: &str| TreePath::parse(text).unwrap();
        for (name, bytes) in [("a.txt", &b"alpha"[..]), ("d/b.txt", b"beta")] {
            let file = File {
                size: bytes.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(bytes),
            };
            tree.insert_file(&path(name), file).unwrap();
        }
        for (name, target) in [
            ("link", "d/b.txt"),
            ("d/up", "../a.txt"),
            ("loop", "loop"),
            ("dir", "d"),
            ("broken", "nothing"),
        ] {
            tree.insert_symlink(&path(name), target).unwrap();
        }
        let snapshot = Snapshot::new(tree.finish(), Arc::new(blobs));
        let mount = |name: &str| Mount {
            name: name.into(),
            snapshot: snapshot.clone(),
        };
        Files::new(vec![mount("task"), mount("state")])
    }

    fn find(path: &str, follow: bool) -> Result<String, ErrorCode> {
        let place = files().resolve(&ResolvedPath::default(), path, follow)?;
        Ok(place.0.iter().map(|(name, _)| format!("/{name}")).collect())
    }

    #[test]
    fn paths_lead_where_a_kernel_would_go() {
        for (path, found) in [
            (".", ""),
            ("state", "/state"),
            ("state/", "/state"),
            ("./state//d/./b.txt", "/state/d/b.txt"),
            ("state/../task/a.txt", "/task/a.txt"),
            ("state/link", "/state/d/b.txt"),
            ("state/d/up", "/state/a.txt"),
            ("state/dir/b.txt", "/state/d/b.txt"),
            ("state/dir/", "/state/d"),
            ("state/dir/../a.txt", "/state/a.txt"),
        ] {
            assert_eq!(find(path, true).as_deref(), Ok(found), "{path}");
        }
        assert_eq!(find("state/link", false).as_deref(), Ok("/state/link"));
        assert_eq!(find("state/dir/", false).as_deref(), Ok("/state/d"));
    }

    #[test]
    fn paths_that_lead_nowhere_say_why() {
        for (path, error) in [
            ("", ErrorCode::NoEntry),
            ("nothing", ErrorCode::NoEntry),
            ("state/broken", ErrorCode::NoEntry),
            ("state/a.txt/", ErrorCode::NotDirectory),
            ("state/a.txt/x", ErrorCode::NotDirectory),
            ("state/a.txt/..", ErrorCode::NotDirectory),
            ("state/loop", ErrorCode::Loop),
            ("..", ErrorCode::NotPermitted),
            ("state/../../etc/passwd", ErrorCode::NotPermitted),
            ("/state", ErrorCode::NotPermitted),
            ("state/a\0", ErrorCode::Invalid),
            (&"x/".repeat(4096), ErrorCode::NameTooLong),
        ] {
            assert_eq!(find(path, true), Err(error), "{path}");
        }
        let files = files();
        let state = files
            .resolve(&ResolvedPath::default(), "state", true)
            .unwrap();
        let out = files.resolve(&state, "../task", true);
        assert!(matches!(out, Err(ErrorCode::NotPermitted)));
    }

    #[test]
    fn reads_give_what_is_there() {
        let mut files = files();
        let place = files
            .resolve(&ResolvedPath::default(), "state/a.txt", true)
            .unwrap();
        let entry = place.entry().unwrap();
        let file = entry.node.as_file().unwrap();
        for (offset, length, bytes) in [(0, 99, "alpha"), (2, 2, "ph"), (5, 1, ""), (9, 9, "")] {
            assert_eq!(
                files.read(entry.mount, file, offset, length).unwrap(),
                bytes.as_bytes()
            );
        }
        let lost = File {
            content: mcpmark_snapshot::Digest::of(b"lost"),
            ..file.clone()
        };
        assert!(files.read(entry.mount, &lost, 0, 1).is_err());
    }

    #[test]
    fn files_that_are_read_by_turns_are_loaded_once() {
        let blobs = MemoryBlobs::new();
        let size = 3 * WINDOW + 5;
        let large: Vec<File> = (0..WINDOWS as u8)
            .map(|seed| File {
                size,
                executable: false,
                modified: None,
                content: blobs.put(
                    (0..size)
                        .map(|at| (at % 251) as u8 ^ seed)
                        .collect::<Vec<u8>>(),
                ),
            })
            .collect();
        let mut files = Files::new(vec![Mount {
            name: "state".into(),
            snapshot: Snapshot::new(mcpmark_snapshot::Tree::empty(), Arc::new(blobs)),
        }]);
        let mut read = |file: usize, offset: u64, length: u64| {
            let bytes = files
                .read(0, &large[file], offset, length)
                .unwrap()
                .to_vec();
            let wanted = (offset..).map(|at| (at % 251) as u8 ^ file as u8);
            assert!(
                bytes.iter().copied().eq(wanted.take(bytes.len())),
                "{file} at {offset}"
            );
            (bytes.len() as u64, files.take_loaded())
        };
        // Sequential reads of several files alternately load each file once, window by window.
        for file in 0..WINDOWS {
            assert_eq!(read(file, 0, 100), (100, WINDOW));
        }
        for offset in [100, 5_000, WINDOW - 100] {
            for file in 0..WINDOWS {
                assert_eq!(read(file, offset, 100), (100, 0), "at {offset}");
            }
        }
        for file in 0..WINDOWS {
            assert_eq!(read(file, WINDOW, 100), (100, WINDOW), "what follows");
        }
        // A jump loads little, and reads that continue from there load whole windows again.
        assert_eq!(read(3, 2 * WINDOW + 7, 1), (1, JUMP));
        assert_eq!(read(3, 2 * WINDOW + 7 + JUMP, 1), (1, WINDOW - JUMP - 2));
        assert_eq!(read(3, size - 1, 9), (1, 0));
        // A large read after a jump loads as much as it needs, up to the end of the file.
        assert_eq!(
            read(4, 2 * WINDOW + 6, WINDOW + 5),
            (WINDOW - 1, WINDOW - 1)
        );
        assert_eq!(read(4, size, 9), (0, 0));
    }

    #[test]
    fn numbers_stand_for_places() {
        let files = files();
        let number = |path| {
            let place = files.resolve(&ResolvedPath::default(), path, true).unwrap();
            place.number()
        };
        assert_eq!(number("state/link"), number("state/d/b.txt"));
        assert_ne!(number("state/a.txt"), number("task/a.txt"));
    }
}
