//! Starting worlds and their states on both servers.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use mcpmark_snapshot::{Blobs, File, Node, Store, Tree, TreeBuilder, TreePath};

/// Clock of the worlds: 2023-11-14 22:13:20 UTC.
pub(crate) const CLOCK: i64 = 1_700_000_000;

/// Entry of a starting world.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Directory,
    File {
        bytes: Vec<u8>,
        executable: bool,
        modified: i64,
    },
    Link(String),
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory => f.write_str("directory"),
            Self::Link(target) => write!(f, "symlink to {target:?}"),
            Self::File {
                bytes,
                executable,
                modified,
            } => {
                let text = String::from_utf8_lossy(bytes);
                write!(f, "{} of {modified}, {text:?}", kind(*executable))
            }
        }
    }
}

/// Starting world, as entries by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spec(pub(crate) BTreeMap<String, Entry>);

impl Spec {
    pub(crate) fn write_to(&self, root: &Path) {
        let mut directories = vec![root.to_owned()];
        for (path, entry) in &self.0 {
            let path = root.join(path);
            let parent = path.parent().expect("it is below the root");
            fs::create_dir_all(parent).expect("it can be written");
            match entry {
                Entry::Directory => fs::create_dir_all(&path).expect("it can be written"),
                Entry::Link(target) => symlink(target, &path).expect("it can be written"),
                Entry::File {
                    bytes,
                    executable,
                    modified,
                } => {
                    fs::write(&path, bytes).expect("it can be written");
                    let mode = if *executable { 0o755 } else { 0o644 };
                    fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                        .expect("it is ours");
                    set_modified(&path, *modified);
                }
            }
            directories.extend(
                path.ancestors()
                    .take_while(|it| *it != root)
                    .filter(|it| it.is_dir() && !it.is_symlink())
                    .map(Path::to_owned),
            );
        }
        for directory in directories {
            set_modified(&directory, CLOCK);
        }
    }

    pub(crate) fn tree(&self, store: &Store) -> Tree {
        let mut builder = TreeBuilder::new();
        for (path, entry) in &self.0 {
            let path = TreePath::parse(path).expect("generated paths are valid");
            let added = match entry {
                Entry::Directory => builder.create_directory(&path),
                Entry::Link(target) => builder.insert_symlink(&path, target),
                Entry::File {
                    bytes,
                    executable,
                    modified,
                } => {
                    let file = File {
                        size: bytes.len() as u64,
                        executable: *executable,
                        modified: (*modified != CLOCK).then_some(*modified),
                        content: store.put(bytes).expect("the store can be written"),
                    };
                    builder.insert_file(&path, file)
                }
            };
            added.expect("generated worlds are valid");
        }
        builder.finish()
    }
}

fn set_modified(path: &Path, seconds: i64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs());
    let opened = fs::File::open(path).expect("it can be read");
    opened.set_modified(time).expect("it is ours");
}

/// Removes the content of a directory.
pub(crate) fn clear(root: &Path) {
    for entry in fs::read_dir(root).expect("it can be read") {
        let path = entry.expect("it can be read").path();
        let removed = if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        removed.expect("it is ours");
    }
}

/// Entries of a world by path: the kind (including the executable bit) and the content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct State(BTreeMap<String, (&'static str, Vec<u8>)>);

impl State {
    pub(crate) fn of_directory(root: &Path) -> Self {
        let mut state = Self::default();
        let mut directories = vec![root.to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(&directory).expect("it can be read") {
                let path = entry.expect("it can be read").path();
                let metadata = path.symlink_metadata().expect("it is there");
                let content = if metadata.is_symlink() {
                    let target = fs::read_link(&path).expect("it is a symlink");
                    (
                        "symlink",
                        target.to_string_lossy().into_owned().into_bytes(),
                    )
                } else if metadata.is_dir() {
                    directories.push(path.clone());
                    ("directory", Vec::new())
                } else {
                    let executable = metadata.permissions().mode() & 0o100 != 0;
                    let bytes = fs::read(&path).expect("it can be read");
                    (kind(executable), bytes)
                };
                let below = path.strip_prefix(root).expect("it is below the root");
                state
                    .0
                    .insert(below.to_string_lossy().into_owned(), content);
            }
        }
        state
    }

    pub(crate) fn of_tree(tree: &Tree, store: &Store) -> Self {
        let entries = tree.walk(&TreePath::root()).map(|(path, node)| {
            let content = match node {
                Node::Directory(_) => ("directory", Vec::new()),
                Node::Symlink(link) => ("symlink", link.target.clone().into_bytes()),
                Node::File(file) => {
                    let bytes = store.read(&file.content).expect("it was captured");
                    (kind(file.executable), bytes)
                }
            };
            (path.to_string(), content)
        });
        Self(entries.collect())
    }

    /// Returns the paths at which two states differ, sorted.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let paths = self.0.keys().chain(other.0.keys());
        let mut differing: Vec<String> = paths
            .filter(|path| self.0.get(*path) != other.0.get(*path))
            .cloned()
            .collect();
        differing.sort();
        differing.dedup();
        differing
    }

    /// Describes the entry at a path for the report.
    pub(crate) fn describe(&self, path: &str) -> String {
        match self.0.get(path) {
            None => "nothing".to_owned(),
            Some((kind, content)) => format!("{kind} {:?}", String::from_utf8_lossy(content)),
        }
    }
}

fn kind(executable: bool) -> &'static str {
    if executable {
        "executable file"
    } else {
        "file"
    }
}
