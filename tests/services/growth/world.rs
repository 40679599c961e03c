//! World of a service, and calls on it.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::{
    CallError, Service, Session, SessionLimits, ToolClient, ToolOutput, WorldState,
};
use mcpmark_snapshot::{Digest, File, ScratchSpace, Store, TreeBuilder, TreePath};
use serde_json::Value;
use tokio::runtime::Runtime;

/// Entry of a world.
pub(crate) enum Entry {
    Directory,
    File(Vec<u8>),
    Symlink(String),
}

pub(crate) struct World {
    client: ToolClient,
    session: Box<dyn Session>,
    runtime: Runtime,
    _home: tempfile::TempDir,
}

impl World {
    /// Opens a filesystem world.
    pub(crate) fn new(profile: &str, entries: impl IntoIterator<Item = (String, Entry)>) -> Self {
        Self::of(&Filesystem, profile, entries)
    }

    /// Opens a world of a service.
    pub(crate) fn of(
        service: &dyn Service,
        profile: &str,
        entries: impl IntoIterator<Item = (String, Entry)>,
    ) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let store = Store::open(home.path().join("store")).expect("a store");
        let mut tree = TreeBuilder::new();
        for (path, entry) in entries {
            let path = TreePath::parse(&path).expect("a path");
            let added = match entry {
                Entry::Directory => tree.create_directory(&path),
                Entry::Symlink(target) => tree.insert_symlink(&path, &target),
                Entry::File(bytes) => tree.insert_file(
                    &path,
                    File {
                        size: bytes.len() as u64,
                        executable: false,
                        modified: None,
                        content: store.put(&bytes).expect("a blob"),
                    },
                ),
            };
            added.expect("an entry");
        }
        let state = WorldState {
            tree: tree.finish(),
            store: Arc::new(store),
            seed: 1,
            clock: 1_700_000_000,
            profile: Some(profile.to_owned()),
            limits: SessionLimits::default(),
            scratch: ScratchSpace::plain(home.path()),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let (session, client) = runtime.block_on(async {
            let session = service.open(state).await.expect("a session");
            let client = ToolClient::connect(&*session).await.expect("a client");
            (session, client)
        });
        Self {
            client,
            session,
            runtime,
            _home: home,
        }
    }

    /// Calls a tool with a timeout.
    pub(crate) fn call_within(
        &self,
        tool: &str,
        arguments: &Value,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.runtime
            .block_on(self.client.call(tool, arguments, timeout))
    }

    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolOutput {
        self.call_within(tool, arguments, Duration::from_secs(600))
            .expect("an answer")
    }

    /// Makes a call that must succeed and returns its text.
    pub(crate) fn ok(&self, tool: &str, arguments: &Value) -> String {
        let output = self.call(tool, arguments);
        assert!(!output.is_error, "{tool}: {}", clipped(&output.text()));
        output.text()
    }

    /// Makes a call that must fail and returns its text.
    pub(crate) fn fails(&self, tool: &str, arguments: &Value) -> String {
        let output = self.call(tool, arguments);
        assert!(output.is_error, "{tool}: {}", clipped(&output.text()));
        output.text()
    }

    /// Returns the tools with the schemas of their arguments.
    pub(crate) fn schemas(&self) -> Vec<(String, Value)> {
        let tools = self.client.tools().iter();
        tools
            .map(|tool| {
                let schema = Value::from((*tool.input_schema).clone());
                (tool.name.to_string(), schema)
            })
            .collect()
    }

    /// Returns the digest of the state.
    pub(crate) fn digest(&self) -> Digest {
        let tree = self.runtime.block_on(self.session.capture());
        tree.expect("a state").digest()
    }
}

/// Returns the start of a text.
pub(crate) fn clipped(text: &str) -> String {
    text.chars().take(400).collect()
}
