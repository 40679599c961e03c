//! Test worlds and calls on them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_postgres::{Installation, PostgresService};
use mcpmark_service::{
    Service, ServiceError, Session, SessionLimits, ToolClient, ToolOutput, WorldState,
};
use mcpmark_snapshot::{Blobs, File, Node, ScratchSpace, Store, Tree, TreeBuilder, TreePath};
use mcpmark_test_support::{Need, skip};
use serde_json::json;

/// Clock of the worlds: 2026-02-01 09:00:00 UTC.
pub(crate) const CLOCK: i64 = 1_769_936_400;

/// World of most tests, whose agent is not a superuser.
pub(crate) const WORLD: &[(&str, &str)] = &[
    ("format", "mcpmark postgres state 1\n"),
    ("roles.sql", "CREATE ROLE clerk WITH LOGIN;\n"),
    (
        "database.sql",
        "ALTER DATABASE :\"database\" OWNER TO clerk;\n",
    ),
    (
        "schemas.sql",
        "CREATE SCHEMA public;\nALTER SCHEMA public OWNER TO clerk;\n",
    ),
    (
        "schemas/public/tables/items.sql",
        "CREATE TABLE public.items (\n    id integer NOT NULL,\n    name text\n);\nALTER TABLE public.items OWNER TO clerk;\n",
    ),
    (
        "schemas/public/constraints/items.sql",
        "ALTER TABLE public.items ADD CONSTRAINT items_pkey PRIMARY KEY (id);\n",
    ),
    ("data/public/items.csv", "id,name\n1,anchor\n2,buoy\n"),
];

/// Returns the entries of a world in which the file at a path has another content.
pub(crate) fn with<'a>(path: &'a str, content: &'a str) -> Vec<(&'a str, &'a str)> {
    let others = WORLD.iter().copied().filter(|(other, _)| *other != path);
    others.chain([(path, content)]).collect()
}

/// Returns the entries of the world with an agent that is a superuser.
pub(crate) fn of_superuser() -> Vec<(&'static str, &'static str)> {
    with("roles.sql", "CREATE ROLE clerk WITH SUPERUSER LOGIN;\n")
}

/// Returns the server of this machine, or skips the test.
pub(crate) fn installation() -> Option<Installation> {
    match Installation::find(None) {
        Ok(installation) => Some(installation),
        Err(error) => {
            skip(Need::Postgres, error);
            None
        }
    }
}

/// Returns the directory of golden clusters, which all tests share. It is in the directory of the build.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("postgres")
}

pub(crate) struct World {
    pub(crate) session: Box<dyn Session>,
    pub(crate) client: ToolClient,
    pub(crate) store: Arc<Store>,
    pub(crate) home: tempfile::TempDir,
}

pub(crate) fn tree(store: &Store, entries: &[(&str, &str)]) -> Tree {
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

pub(crate) fn state(
    tree: &Tree,
    store: &Arc<Store>,
    scratch: &Path,
    limits: SessionLimits,
) -> WorldState {
    WorldState {
        tree: tree.clone(),
        store: Arc::clone(store),
        seed: 7,
        clock: CLOCK,
        profile: None,
        limits,
        scratch: ScratchSpace::plain(scratch),
    }
}

/// Opens a session on a world. Its private files are in `home`.
pub(crate) async fn open(
    tree: &Tree,
    store: &Arc<Store>,
    home: &Path,
    limits: SessionLimits,
) -> Result<Box<dyn Session>, ServiceError> {
    let state = state(tree, store, home, limits);
    PostgresService::new(cache()).open(state).await
}

impl World {
    /// Opens a world, or skips the test if there is no server.
    pub(crate) async fn of(entries: &[(&str, &str)]) -> Option<Self> {
        Self::with(entries, SessionLimits::default()).await
    }

    pub(crate) async fn with(entries: &[(&str, &str)], limits: SessionLimits) -> Option<Self> {
        let installation = installation()?;
        Some(Self::on(installation, entries, limits).await)
    }

    /// Opens a world on a server.
    pub(crate) async fn on(
        installation: Installation,
        entries: &[(&str, &str)],
        limits: SessionLimits,
    ) -> Self {
        let home = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(home.path().join("store")).unwrap());
        let start = tree(&store, entries);
        let service = PostgresService::with_installation(installation, cache());
        let session = service.open(state(&start, &store, home.path(), limits));
        let session = session.await.unwrap();
        let client = ToolClient::connect(&*session).await.unwrap();
        Self {
            session,
            client,
            store,
            home,
        }
    }

    pub(crate) async fn sql(&self, sql: &str) -> ToolOutput {
        let arguments = json!({ "sql": sql }).as_object().cloned().unwrap();
        let timeout = Duration::from_secs(90);
        let output = self.client.call("execute_sql", arguments, timeout).await;
        output.unwrap()
    }

    /// Runs statements that must succeed, and returns the text of the result.
    pub(crate) async fn ok(&self, sql: &str) -> String {
        let output = self.sql(sql).await;
        let text = output.text();
        assert!(
            !output.is_error && !text.starts_with("Error"),
            "{sql}: {text}"
        );
        text
    }

    /// Runs statements that must fail, and returns the text of the result.
    pub(crate) async fn fails(&self, sql: &str) -> String {
        let text = self.sql(sql).await.text();
        assert!(text.starts_with("Error"), "{sql}: {text}");
        text
    }

    pub(crate) async fn capture(&self) -> Tree {
        self.session.capture().await.unwrap()
    }

    /// Returns the text of a file in the captured state.
    pub(crate) async fn file(&self, path: &str) -> Option<String> {
        let tree = self.capture().await;
        self.text(&tree, path)
    }

    /// Returns the text of a file in a tree.
    pub(crate) fn text(&self, tree: &Tree, path: &str) -> Option<String> {
        match tree.get(&TreePath::parse(path).unwrap())? {
            Node::File(file) => {
                Some(String::from_utf8(self.store.read(&file.content).unwrap()).unwrap())
            }
            other => panic!("{path}: {other:?}"),
        }
    }

    pub(crate) async fn close(self) {
        self.client.close().await.unwrap();
        self.session.close().await.unwrap();
    }
}
