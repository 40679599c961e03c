//! A world of the github service, and calls on it.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_github::GitHub;
use mcpmark_github::rest::Rest;
use mcpmark_service::{HttpRequest, Service, Session, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, Tree, capture};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::worlds::CLOCK;

/// A world that sessions can be opened on.
pub(super) struct World {
    tree: Tree,
    store: Arc<Store>,
    home: tempfile::TempDir,
}

impl World {
    pub(super) fn new(make: impl FnOnce(&Path)) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let dir = home.path().join("world");
        std::fs::create_dir(&dir).expect("a directory");
        make(&dir);
        let store = Arc::new(Store::open(home.path().join("store")).expect("a store"));
        let tree = capture(&dir, &store, &CaptureOptions::default()).expect("a tree");
        Self { tree, store, home }
    }
}

/// A session on a world, and a copy of it that is asked over REST.
pub(super) struct Site {
    client: ToolClient,
    rest: RefCell<Rest>,
    runtime: Runtime,
    _session: Box<dyn Session>,
}

impl Site {
    pub(super) fn new(world: &World, profile: &str) -> Self {
        let home = world.home.path();
        let rest = Rest::open(&world.tree, &*world.store, home, CLOCK).expect("a repository");
        let state = WorldState {
            tree: world.tree.clone(),
            store: Arc::clone(&world.store),
            seed: 1,
            clock: CLOCK,
            profile: Some(profile.to_owned()),
            limits: SessionLimits::default(),
            scratch: ScratchSpace::plain(home),
        };
        let runtime = Runtime::new().expect("a runtime");
        let (session, client) = runtime.block_on(async {
            let session = GitHub::default().open(state).await.expect("a session");
            let client = ToolClient::connect(&*session).await.expect("a client");
            (session, client)
        });
        Self {
            client,
            rest: RefCell::new(rest),
            runtime,
            _session: session,
        }
    }

    /// Calls a tool, which must succeed.
    pub(super) fn tool(&self, tool: &str, arguments: &Value) {
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        for (key, value) in [("owner", "acme"), ("repo", "demo")] {
            arguments.entry(key).or_insert(value.into());
        }
        let call = self.client.call(tool, arguments, Duration::from_secs(60));
        let output = self.runtime.block_on(call).expect(tool);
        assert!(!output.is_error, "{tool}: {}", start(&output.text()));
    }

    /// Sends a REST request, which must succeed.
    pub(super) fn rest(&self, method: &str, path: &str, body: &Value) {
        let target = match path.strip_prefix('^') {
            Some(path) => path.to_owned(),
            None => format!("/repos/acme/demo{path}"),
        };
        let request = HttpRequest {
            method: method.to_owned(),
            target,
            body: match body {
                Value::Null => Vec::new(),
                body => body.to_string().into_bytes(),
            },
            ..HttpRequest::default()
        };
        let answer = self.rest.borrow_mut().answer(&request, CLOCK);
        let answer = answer.expect("an answer");
        let body = String::from_utf8_lossy(&answer.body);
        assert!(answer.status < 400, "{method} {path}: {}", start(&body));
    }

    /// Sends a query, which must succeed.
    pub(super) fn query(&self, text: &str) {
        let request = HttpRequest {
            method: "POST".to_owned(),
            target: "/graphql".to_owned(),
            body: json!({"query": text}).to_string().into_bytes(),
            ..HttpRequest::default()
        };
        let answer = self.rest.borrow_mut().answer(&request, CLOCK);
        let answer: Value = serde_json::from_slice(&answer.expect("an answer").body).expect("JSON");
        assert!(answer["errors"].is_null(), "{}", start(&answer.to_string()));
    }
}

/// The start of a text.
fn start(text: &str) -> String {
    text.chars().take(400).collect()
}
