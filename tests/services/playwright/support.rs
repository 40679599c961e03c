//! Worlds of the tests, and calls on them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcpmark_playwright::sites::FORMAT;
use mcpmark_playwright::{Installation, PlaywrightService, Site, check_isolation};
use mcpmark_service::{
    Service, ServiceError, Session, SessionLimits, ToolClient, ToolOutput, WorldState,
};
use mcpmark_snapshot::{Blobs, File, Node, ScratchSpace, Store, Tree, TreeBuilder, TreePath};
use mcpmark_test_support::{Need, skip};
use serde_json::Value;

use crate::forum::{Forum, ROWS, TABLES};
use crate::npm;

/// Clock of the worlds: 2026-02-01 09:00:00 UTC.
pub(crate) const CLOCK: i64 = 1_769_936_400;
/// Time limit of a call.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(120);

/// Files of the world.
pub(crate) fn entries() -> Vec<(String, String)> {
    let own = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let mut entries = vec![
        own("format", FORMAT),
        own("sites/forum.test/tables.sql", TABLES),
        own("sites/forum.test/static/style.css", "h1 { color: navy }\n"),
        own(
            "sites/help.test/static/index.html",
            "<!doctype html><html lang=\"en\"><title>Help</title><h1>Help</h1>\
             <a href=\"http://forum.test/\">Forum</a></html>\n",
        ),
    ];
    for (table, rows) in ROWS {
        entries.push((
            format!("sites/forum.test/rows/{table}.jsonl"),
            rows.to_owned(),
        ));
    }
    entries
}

pub(crate) fn tree(store: &Store, entries: &[(String, String)]) -> Tree {
    let mut builder = TreeBuilder::new();
    for (path, text) in entries {
        let file = File {
            size: text.len() as u64,
            executable: false,
            modified: None,
            content: store.put(text.as_bytes()).unwrap(),
        };
        let path = TreePath::parse(path).unwrap();
        builder.insert_file(&path, file).unwrap();
    }
    builder.finish()
}

/// Reports whether a program that could be a browser is named or in `PATH`. [`Installation::find`] looks closer.
fn has_browser() -> bool {
    const NAMES: [&str; 4] = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut dirs = std::env::split_paths(&paths);
    std::env::var_os("MCPMARK_CHROMIUM").is_some()
        || dirs.any(|dir| NAMES.iter().any(|name| dir.join(name).exists()))
}

/// Returns the directory with the MCP server, or skips the test if the machine lacks something.
pub(crate) fn programs() -> Option<PathBuf> {
    // Tests of one binary run at the same time.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    // Without a browser, nothing else matters.
    if !has_browser() {
        skip(Need::Chromium, "no Chromium was found");
        return None;
    }
    if let Err(problem) = check_isolation() {
        skip(Need::Unshare, problem);
        return None;
    }
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playwright-mcp");
    let manifest = serde_json::json!({ "dependencies": { "@playwright/mcp": "0.0.68" } });
    if let Err(problem) = npm::install(&home, &manifest, "@playwright/mcp/cli.js") {
        skip(Need::Npm, problem);
        return None;
    }
    if let Err(problem) = Installation::find(&home) {
        skip(Need::Chromium, problem);
        return None;
    }
    Some(home)
}

pub(crate) fn service(programs: &Path) -> PlaywrightService {
    let forum: Arc<dyn Site> = Arc::new(Forum);
    PlaywrightService::new(programs, Some(forum))
}

/// Opens a session. Its private files are in `home`.
pub(crate) async fn open(
    programs: &Path,
    tree: &Tree,
    store: &Arc<Store>,
    home: &Path,
) -> Result<Box<dyn Session>, ServiceError> {
    let world = WorldState {
        tree: tree.clone(),
        store: Arc::clone(store),
        seed: 7,
        clock: CLOCK,
        profile: None,
        limits: SessionLimits::default(),
        scratch: ScratchSpace::plain(home),
    };
    service(programs).open(world).await
}

/// Opened world with a client.
pub(crate) struct World {
    pub(crate) session: Box<dyn Session>,
    pub(crate) client: ToolClient,
    pub(crate) store: Arc<Store>,
    pub(crate) home: tempfile::TempDir,
}

impl World {
    /// Opens the world of the tests, or skips the test if the machine lacks something.
    pub(crate) async fn open() -> Option<Self> {
        let programs = programs()?;
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(home.path().join("store")).unwrap());
        let start = tree(&store, &entries());
        let session = open(&programs, &start, &store, home.path()).await.unwrap();
        let client = ToolClient::connect(&*session).await.unwrap();
        Some(Self {
            session,
            client,
            store,
            home,
        })
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let arguments = arguments.as_object().cloned().unwrap();
        self.client.call(tool, arguments, CALL_LIMIT).await.unwrap()
    }

    /// Makes a call that must succeed, and returns its text.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> String {
        let output = self.call(tool, arguments).await;
        assert!(!output.is_error, "{}", output.text());
        output.text()
    }

    /// Makes a call that must fail, and returns its text.
    pub(crate) async fn fails(&self, tool: &str, arguments: Value) -> String {
        let output = self.call(tool, arguments).await;
        assert!(output.is_error, "{}", output.text());
        output.text()
    }

    /// Opens a page. The error page of an earlier navigation can still interrupt it, as with the published server.
    pub(crate) async fn navigate(&self, url: &str) -> String {
        let arguments = serde_json::json!({ "url": url });
        for _ in 0..10 {
            let output = self.call("browser_navigate", arguments.clone()).await;
            if !output.is_error {
                return output.text();
            }
            let text = output.text();
            assert!(text.contains("interrupted by another navigation"), "{text}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{url} cannot be opened");
    }

    pub(crate) async fn capture(&self) -> Tree {
        self.session.capture().await.unwrap()
    }

    pub(crate) fn read(&self, tree: &Tree, path: &str) -> String {
        let Some(Node::File(file)) = tree.get(&TreePath::parse(path).unwrap()) else {
            panic!("{path} is not a file of the state");
        };
        String::from_utf8(self.store.read(&file.content).unwrap()).unwrap()
    }

    /// Ends the session, which must leave no private files.
    pub(crate) async fn close(self) {
        drop(self.client);
        self.session.close().await.unwrap();
        let left: Vec<_> = std::fs::read_dir(self.home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != "store")
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Returns the reference of the element of a snapshot whose line begins with a role and a name.
pub(crate) fn reference(snapshot: &str, element: &str) -> String {
    let line = snapshot
        .lines()
        .find(|line| line.trim_start().starts_with(&format!("- {element}")));
    let reference = line.and_then(|line| line.split_once("[ref=")?.1.split_once(']'));
    let (reference, _) = reference.unwrap_or_else(|| panic!("no {element} in {snapshot}"));
    reference.to_owned()
}
