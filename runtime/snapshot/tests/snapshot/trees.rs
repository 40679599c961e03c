//! Trees for tests.

use mcpmark_snapshot::{BuildError, File, MemoryBlobs, Tree, TreeBuilder, TreePath};
use proptest::prelude::*;

pub(crate) fn path(text: &str) -> TreePath {
    TreePath::parse(text).unwrap()
}

/// Builder of a tree and the blobs of its files.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) builder: TreeBuilder,
    pub(crate) blobs: MemoryBlobs,
}

impl World {
    pub(crate) fn file(mut self, at: &str, content: &str) -> Self {
        self.add(at, content, false, None).unwrap();
        self
    }

    pub(crate) fn directory(mut self, at: &str) -> Self {
        self.builder.create_directory(&path(at)).unwrap();
        self
    }

    pub(crate) fn symlink(mut self, at: &str, target: &str) -> Self {
        self.builder.insert_symlink(&path(at), target).unwrap();
        self
    }

    pub(crate) fn add(
        &mut self,
        at: &str,
        content: &str,
        executable: bool,
        modified: Option<i64>,
    ) -> Result<(), BuildError> {
        let file = File {
            size: content.len() as u64,
            executable,
            modified,
            content: self.blobs.put(content),
        };
        self.builder.insert_file(&path(at), file)
    }

    pub(crate) fn tree(&self) -> Tree {
        self.builder.clone().finish()
    }
}

#[derive(Clone, Debug)]
enum Entry {
    File(String, bool, Option<i64>),
    Directory,
    Symlink(String),
}

const ODD: &[&str] = &[
    "a",
    "b",
    "a.txt",
    "a-b",
    "a b",
    " ",
    "-rf",
    ".hidden",
    "...",
    "q\"q",
    "it's",
    "back\\",
    "tab\t",
    "line\nbreak",
    "naïve",
    "日本",
    "e\u{301}",
    "\u{1b}[31m",
    "*",
    "$HOME",
    "%s",
    "~",
    "CON",
    "\u{7f}",
    "\u{feff}x",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(&ODD[..6]).prop_map(str::to_owned),
        2 => proptest::sample::select(ODD).prop_map(str::to_owned),
        1 => "[^/\\x00]{1,20}".prop_filter("not . or ..", |s| s != "." && s != ".."),
    ]
}

fn entry(with_times: bool) -> impl Strategy<Value = Entry> {
    let time = if with_times {
        prop_oneof![Just(None), (0_i64..4_000_000_000).prop_map(Some)].boxed()
    } else {
        Just(None).boxed()
    };
    let target = proptest::collection::vec(
        prop_oneof![Just("..".to_owned()), Just(".".to_owned()), name()],
        1..4,
    );
    prop_oneof![
        4 => (".{0,40}", any::<bool>(), time).prop_map(|(c, x, t)| Entry::File(c, x, t)),
        1 => Just(Entry::Directory),
        1 => target.prop_map(|segments| Entry::Symlink(segments.join("/"))),
    ]
}

/// Generates a random tree. Entries that conflict with earlier ones are omitted.
pub(crate) fn world(with_times: bool) -> impl Strategy<Value = World> {
    let paths = proptest::collection::vec(name(), 1..5).prop_map(|names| names.join("/"));
    proptest::collection::vec((paths, entry(with_times)), 0..40).prop_map(|entries| {
        let mut world = World::default();
        for (at, entry) in entries {
            match entry {
                Entry::File(content, executable, modified) => {
                    let _ = world.add(&at, &content, executable, modified);
                }
                Entry::Directory => {
                    let _ = world.builder.create_directory(&path(&at));
                }
                Entry::Symlink(target) => {
                    let before = world.builder.clone();
                    let added = world.builder.insert_symlink(&path(&at), &target);
                    if added.is_err() || world.tree().check_symlinks().is_err() {
                        world.builder = before;
                    }
                }
            }
        }
        // A directory that was added later can make an earlier symlink lead outside.
        if world.tree().check_symlinks().is_err() {
            world = World::default();
        }
        world
    })
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.builder.fmt(f)
    }
}
