//! Clusters and databases of tests.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use mcpmark_postgres::state::{Files, dump_files, restore};
use mcpmark_postgres::{ADMINISTRATOR, Cluster, Installation, Settings};
use mcpmark_snapshot::TreePath;
use mcpmark_test_support::{Need, skip};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, NoTls};

/// Cluster with its directory. It is stopped when the value is dropped.
pub(crate) struct Server {
    cluster: Option<Cluster>,
    _directory: TempDir,
    databases: AtomicU32,
}

impl Server {
    /// Starts a cluster of the newest installed server, or returns `None` if there is no server.
    pub(crate) fn start() -> Option<Self> {
        match Installation::find(None) {
            Ok(installation) => Some(Self::of(&installation)),
            Err(error) => {
                skip(Need::Postgres, error);
                None
            }
        }
    }

    /// Starts a cluster of an installed server.
    pub(crate) fn of(installation: &Installation) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cluster = Cluster::create(
            installation,
            &directory.path().join("cluster"),
            &Settings::default(),
        )
        .unwrap();
        Self {
            cluster: Some(cluster),
            _directory: directory,
            databases: AtomicU32::new(0),
        }
    }

    /// Connects to an existing database.
    pub(crate) async fn connect(&self, database: &str) -> Database {
        let cluster = self.cluster.as_ref().unwrap();
        let config = cluster.config(cluster.administrator(), database);
        let (client, connection) = config.connect(NoTls).await.unwrap();
        let task = tokio::spawn(async move {
            let _ = connection.await;
        });
        Database { client, task }
    }

    /// Dumps the database of a connection with `pg_dump` and further arguments, or returns `None` if the installation
    /// does not have the program.
    pub(crate) async fn pg_dump(&self, database: &Database, arguments: &[&str]) -> Option<Vec<u8>> {
        let cluster = self.cluster.as_ref().unwrap();
        let program = cluster.installation().bin().join("pg_dump");
        if !program.is_file() {
            skip(
                Need::Postgres,
                format!("{} does not exist", program.display()),
            );
            return None;
        }
        let name = "SELECT current_database()::text";
        let name: String = database.client.query_one(name, &[]).await.unwrap().get(0);
        let config = cluster.config(cluster.administrator(), &name);
        let [Host::Unix(sockets)] = config.get_hosts() else {
            panic!("a cluster has one socket");
        };
        let password = String::from_utf8(config.get_password().unwrap().to_vec()).unwrap();
        let output = Command::new(program)
            .args([
                "-h",
                sockets.to_str().unwrap(),
                "-U",
                cluster.administrator(),
            ])
            .args(arguments)
            .arg(&name)
            .env("PGPASSWORD", password)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}");
        Some(output.stdout)
    }

    /// Creates an empty database and connects to it.
    pub(crate) async fn database(&self) -> Database {
        let name = format!("db{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let maintenance = self.connect("postgres").await;
        maintenance
            .run(&format!("CREATE DATABASE {name} TEMPLATE template0"))
            .await;
        self.connect(&name).await
    }

    /// Restores a state in a new database.
    pub(crate) async fn restored(&self, files: &Files) -> Database {
        let database = self.database().await;
        if let Err(error) = restore(&database.client, files).await {
            panic!("{error}\n{}", text(files, "roles.sql"));
        }
        database
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(cluster) = self.cluster.take() {
            let stopped = cluster.stop();
            // A second panic would hide the first one.
            if !std::thread::panicking() {
                stopped.unwrap();
            }
        }
    }
}

/// Connection to a database as its administrator.
pub(crate) struct Database {
    pub(crate) client: Client,
    task: JoinHandle<()>,
}

impl Database {
    /// Executes statements.
    pub(crate) async fn run(&self, sql: &str) {
        if let Err(error) = self.client.batch_execute(sql).await {
            panic!("{error:?}\n{sql}");
        }
    }

    /// Returns the state of the database.
    pub(crate) async fn dump(&self) -> Files {
        dump_files(&self.client).await.unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns the text of a file of a state, or nothing if it does not exist.
pub(crate) fn text(files: &Files, path: &str) -> String {
    let path = TreePath::parse(path).unwrap();
    let bytes = files.get(&path).cloned().unwrap_or_default();
    String::from_utf8(bytes).unwrap()
}

/// Replaces the content of a file of a state.
pub(crate) fn edit(files: &mut Files, path: &str, change: impl FnOnce(String) -> String) {
    let changed = change(text(files, path));
    files.insert(TreePath::parse(path).unwrap(), changed.into_bytes());
}

/// Lists the lines in which two states differ.
pub(crate) fn differences(before: &Files, after: &Files) -> String {
    let mut found = String::new();
    let paths: std::collections::BTreeSet<&TreePath> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let (old, new) = (before.get(path), after.get(path));
        if old == new {
            continue;
        }
        let lines = |bytes: Option<&Vec<u8>>| -> Vec<String> {
            let text = String::from_utf8_lossy(bytes.map_or(&[], Vec::as_slice)).into_owned();
            text.lines().map(str::to_owned).collect()
        };
        let (old, new) = (lines(old), lines(new));
        writeln!(found, "{path}").unwrap();
        for line in old.iter().filter(|line| !new.contains(line)) {
            writeln!(found, "- {line}").unwrap();
        }
        for line in new.iter().filter(|line| !old.contains(line)) {
            writeln!(found, "+ {line}").unwrap();
        }
    }
    found
}

/// Fails with the differing lines if two states differ.
#[track_caller]
pub(crate) fn assert_same(before: &Files, after: &Files) {
    assert!(before == after, "{}", differences(before, after));
}

/// Returns a runtime for one test.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Reads a file next to the tests.
pub(crate) fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/state")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Fails if the name of the administrator occurs in a state, apart from the name of its format.
pub(crate) fn assert_anonymous(files: &Files) {
    for (path, bytes) in files.iter().filter(|(path, _)| path.as_str() != "format") {
        let text = String::from_utf8_lossy(bytes);
        assert!(
            !text.contains(ADMINISTRATOR),
            "{path} names {ADMINISTRATOR}"
        );
    }
}
