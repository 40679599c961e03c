//! Test worlds and calls on them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::{Service, Session, SessionLimits, ToolClient, ToolOutput, WorldState};
use mcpmark_snapshot::{
    Blobs, CopyMethod, File, Node, ScratchSpace, Store, Tree, TreeBuilder, TreePath,
};
use serde_json::Value;

/// Clock of the worlds: 2023-11-14 22:13:20 UTC.
pub(crate) const CLOCK: i64 = 1_700_000_000;

/// Entry of a test world.
pub(crate) enum Entry<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Script(&'a str),
    Dated(&'a str, i64),
    Link(&'a str),
    Directory,
}

use Entry::{Bytes, Dated, Directory, Link, Script, Text};

/// World of most tests.
pub(crate) const WORLD: &[(&str, Entry<'static>)] = &[
    (".hidden", Text("h")),
    ("B.txt", Text("B")),
    ("a.txt", Text("alpha\nbeta\ngamma\ndelta\nepsilon\n")),
    ("bad.bin", Bytes(b"\xff\xfeA\xc3")),
    ("crlf.txt", Text("l1\r\nl2\r\nl3\r\n")),
    ("dangling", Link("nowhere")),
    ("dir_in", Link("sub")),
    ("empty", Directory),
    ("link_in", Link("a.txt")),
    ("loop1", Link("loop2")),
    ("loop2", Link("loop1")),
    ("nonl.txt", Text("one\ntwo")),
    ("old.txt", Dated("x", 946_684_800)),
    ("photo.PNG", Bytes(b"\x89PNG")),
    ("run.sh", Script("#!/bin/sh\n")),
    ("sound.wav", Bytes(b"RIFF")),
    ("sub/b.md", Text("# b\n")),
    ("sub/deep/c.txt", Text("c")),
];

pub(crate) struct World {
    pub(crate) session: Box<dyn Session>,
    pub(crate) client: ToolClient,
    pub(crate) start: Tree,
    pub(crate) store: Arc<Store>,
    pub(crate) home: tempfile::TempDir,
}

pub(crate) fn tree(store: &Store, entries: &[(&str, Entry<'_>)]) -> Tree {
    let mut builder = TreeBuilder::new();
    for (path, entry) in entries {
        let path = TreePath::parse(path).unwrap();
        let (bytes, executable, modified) = match entry {
            Text(text) => (text.as_bytes(), false, None),
            Bytes(bytes) => (*bytes, false, None),
            Script(text) => (text.as_bytes(), true, None),
            Dated(text, time) => (text.as_bytes(), false, Some(*time)),
            Link(target) => {
                builder.insert_symlink(&path, target).unwrap();
                continue;
            }
            Directory => {
                builder.create_directory(&path).unwrap();
                continue;
            }
        };
        let file = File {
            size: bytes.len() as u64,
            executable,
            modified,
            content: store.put(bytes).unwrap(),
        };
        builder.insert_file(&path, file).unwrap();
    }
    builder.finish()
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::of(WORLD).await
    }

    pub(crate) async fn of(entries: &[(&str, Entry<'_>)]) -> Self {
        Self::with(entries, SessionLimits::default()).await
    }

    pub(crate) async fn with(entries: &[(&str, Entry<'_>)], limits: SessionLimits) -> Self {
        Self::as_of(None, entries, limits).await
    }

    /// Opens a world with a profile of the published server.
    pub(crate) async fn as_of(
        profile: Option<&str>,
        entries: &[(&str, Entry<'_>)],
        limits: SessionLimits,
    ) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(home.path().join("store")).unwrap());
        let start = tree(&store, entries);
        let mut state = state(&start, &store, home.path(), limits);
        state.profile = profile.map(str::to_owned);
        let session = Filesystem.open(state).await.unwrap();
        let client = ToolClient::connect(&*session).await.unwrap();
        Self {
            session,
            client,
            start,
            store,
            home,
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let arguments = arguments.as_object().cloned().unwrap();
        let timeout = Duration::from_secs(60);
        self.client.call(tool, arguments, timeout).await.unwrap()
    }

    /// Makes a call that must succeed and returns its text.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> String {
        let output = self.call(tool, arguments.clone()).await;
        let text = output.text();
        assert!(!output.is_error, "{tool} {arguments}: {text}");
        assert_eq!(output.structured.unwrap()["content"], text, "{tool}");
        text
    }

    /// Makes a call that must fail without changing the world, and returns its text.
    pub(crate) async fn fails(&self, tool: &str, arguments: Value) -> String {
        let before = self.capture().await.digest();
        let output = self.call(tool, arguments.clone()).await;
        let text = output.text();
        assert!(output.is_error, "{tool} {arguments}: {text}");
        assert_eq!(output.structured, None, "{tool} {arguments}");
        let after = self.capture().await.digest();
        assert_eq!(after, before, "{tool} {arguments} changed the world");
        text
    }

    pub(crate) async fn capture(&self) -> Tree {
        self.session.capture().await.unwrap()
    }

    /// Returns the text of a file in the captured state.
    pub(crate) async fn file(&self, path: &str) -> Option<String> {
        let tree = self.capture().await;
        match tree.get(&TreePath::parse(path).unwrap())? {
            Node::File(file) => {
                Some(String::from_utf8(self.store.read(&file.content).unwrap()).unwrap())
            }
            other => panic!("{path}: {other:?}"),
        }
    }
}

pub(crate) fn state(
    tree: &Tree,
    store: &Arc<Store>,
    home: &Path,
    limits: SessionLimits,
) -> WorldState {
    WorldState {
        tree: tree.clone(),
        store: Arc::clone(store),
        seed: 7,
        clock: CLOCK,
        profile: None,
        limits,
        // Uses overlay mounts if they are available; `copies` compares them with plain copies.
        scratch: ScratchSpace::probe(home, CopyMethod::Auto).unwrap(),
    }
}

pub(crate) async fn open(
    tree: &Tree,
    store: &Arc<Store>,
    home: &Path,
    limits: SessionLimits,
) -> Result<Box<dyn Session>, mcpmark_service::ServiceError> {
    Filesystem.open(state(tree, store, home, limits)).await
}
