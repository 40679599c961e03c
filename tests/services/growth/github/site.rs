//! World of the github service, and calls on it.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_github::GitHub;
use mcpmark_github::ci::{Event, Ran, Reported, Runner};
use mcpmark_github::rest::Rest;
use mcpmark_service::{
    CallError, HttpRequest, Service, Session, SessionLimits, ToolClient, ToolOutput, WorldState,
};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, Tree, TreePath, capture};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use super::worlds::CLOCK;

/// Runner of workflows with one failing step. Its log is the file `log.txt` of the tested tree.
struct Failing;

impl Runner for Failing {
    fn run(&self, event: Event, _: u64) -> Ran {
        let log = TreePath::parse("log.txt").ok();
        let log = log.and_then(|path| event.after.read(&path).ok());
        let step = Reported {
            name: "all / work".to_owned(),
            passed: false,
            output: String::from_utf8(log.unwrap_or_default()).unwrap_or_default(),
        };
        Ran {
            result: Ok(vec![step]),
            fuel: 1,
        }
    }
}

/// World on which sessions are opened.
pub(super) struct World {
    tree: Tree,
    store: Arc<Store>,
    home: tempfile::TempDir,
    /// True if workflows run.
    has_runs: bool,
}

impl World {
    pub(super) fn new(make: impl FnOnce(&Path)) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let dir = home.path().join("world");
        std::fs::create_dir(&dir).expect("a directory");
        make(&dir);
        let store = Arc::new(Store::open(home.path().join("store")).expect("a store"));
        let tree = capture(&dir, &store, &CaptureOptions::default()).expect("a tree");
        let has_runs = dir.join("runs.json").exists();
        Self {
            tree,
            store,
            home,
            has_runs,
        }
    }
}

/// Session on a world, and a copy of the world for REST requests.
pub(super) struct Site {
    client: ToolClient,
    rest: RefCell<Rest>,
    runtime: Runtime,
    session: Box<dyn Session>,
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
        let service = if world.has_runs {
            GitHub::with_runner(Arc::new(Failing))
        } else {
            GitHub::default()
        };
        let runtime = Runtime::new().expect("a runtime");
        let (session, client) = runtime.block_on(async {
            let session = service.open(state).await.expect("a session");
            let client = ToolClient::connect(&*session).await.expect("a client");
            (session, client)
        });
        Self {
            client,
            rest: RefCell::new(rest),
            runtime,
            session,
        }
    }

    /// Calls a tool, which must succeed.
    pub(super) fn tool(&self, tool: &str, arguments: &Value) {
        let call = self
            .client
            .call(tool, named(arguments), Duration::from_secs(60));
        let output = self.runtime.block_on(call).expect(tool);
        assert!(!output.is_error, "{tool}: {}", start(&output.text()));
    }

    /// Calls a tool, which must refuse.
    pub(super) fn refused(&self, tool: &str, arguments: &Value) {
        let call = self
            .client
            .call(tool, named(arguments), Duration::from_secs(60));
        // Some refusals are protocol errors.
        if let Ok(output) = self.runtime.block_on(call) {
            assert!(output.is_error, "{tool}: {}", start(&output.text()));
        }
    }

    /// Returns the names of the session's tools.
    pub(super) fn tools(&self) -> Vec<String> {
        let tools = self.client.tools().iter();
        tools.map(|tool| tool.name.to_string()).collect()
    }

    /// Returns the session's tools with the schemas of their arguments.
    pub(super) fn schemas(&self) -> Vec<(String, Value)> {
        let tools = self.client.tools().iter();
        tools
            .map(|tool| {
                (
                    tool.name.to_string(),
                    Value::from((*tool.input_schema).clone()),
                )
            })
            .collect()
    }

    /// Sends a REST request, which must succeed.
    pub(super) fn rest(&self, method: &str, path: &str, body: &Value) {
        self.answered(&HttpRequest {
            method: method.to_owned(),
            target: target(path),
            body: match body {
                Value::Null => Vec::new(),
                body => body.to_string().into_bytes(),
            },
            ..HttpRequest::default()
        });
    }

    /// Sends a GET request with one of GitHub's media types, which must succeed.
    pub(super) fn media(&self, form: &str, path: &str) {
        self.answered(&HttpRequest {
            method: "GET".to_owned(),
            target: target(path),
            accept: format!("application/vnd.github.{form}"),
            ..HttpRequest::default()
        });
    }

    fn answered(&self, request: &HttpRequest) {
        let answer = self.rest.borrow_mut().answer(request, CLOCK);
        let answer = answer.expect("an answer");
        let (method, target) = (&request.method, &request.target);
        let body = String::from_utf8_lossy(&answer.body);
        assert!(answer.status < 400, "{method} {target}: {}", start(&body));
    }

    /// Returns the final state.
    pub(super) fn capture(&self) -> Tree {
        let state = self.runtime.block_on(self.session.capture());
        state.expect("a state")
    }

    /// Calls a tool with a timeout.
    pub(super) fn until(
        &self,
        tool: &str,
        arguments: &Value,
        timeout: Duration,
    ) -> Result<ToolOutput, CallError> {
        let call = self.client.call(tool, named(arguments), timeout);
        self.runtime.block_on(call)
    }

    /// Sends a GraphQL query, which must succeed.
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

/// Returns the target of a request for a path below the repository, or below the root if it begins with `^`.
fn target(path: &str) -> String {
    match path.strip_prefix('^') {
        Some(path) => path.to_owned(),
        None => format!("/repos/acme/demo{path}"),
    }
}

/// Adds the owner and the name of the repository to arguments.
fn named(arguments: &Value) -> Map<String, Value> {
    let mut arguments = arguments.as_object().cloned().unwrap_or_default();
    for (key, value) in [("owner", "acme"), ("repo", "demo")] {
        arguments.entry(key).or_insert(value.into());
    }
    arguments
}

/// Returns the start of a text.
fn start(text: &str) -> String {
    text.chars().take(400).collect()
}
