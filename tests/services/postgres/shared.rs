//! What sessions share, the golden cluster and the programs of the server, is the same after each of them.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mcpmark_postgres::{Installation, Isolation, PostgresService};
use mcpmark_service::{Service, SessionLimits, ToolClient};
use mcpmark_snapshot::Store;
use mcpmark_test_support::{Need, skip};
use serde_json::json;

use crate::support::{installation, of_superuser, state, tree};

/// Programs that try to change what sessions share, with the directories in the place of `GOLDENS` and `PREFIX`.
const ATTEMPTS: &str = "for dir in /tmp/base GOLDENS/*/data /tmp/postgresql PREFIX; do echo poison > $dir/poison; \
                        echo poison > $dir/PG_VERSION; echo poison > $dir/bin/postgres; rm -rf $dir/base $dir/bin; \
                        ls -A $dir; done 2>&1; true";

/// Returns the bytes of the files below a directory.
fn content(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(path, target.into_os_string().into_encoded_bytes());
            } else if path.is_dir() {
                dirs.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// Returns a copy of the programs of a server, in a directory that everybody may change. Another process writes them:
/// otherwise the processes that other tests start at the same time could have them open, and they could not be executed.
fn programs(installation: &Installation, prefix: &Path) -> Installation {
    let bin = prefix.join("bin");
    fs::create_dir(&bin).unwrap();
    let copied = Command::new("cp")
        .arg("-L")
        .args(["initdb", "postgres"].map(|program| installation.bin().join(program)))
        .arg(&bin)
        .status();
    assert!(copied.unwrap().success());
    // The libraries are beside the directory of the programs.
    let real = installation.bin().join("postgres").canonicalize().unwrap();
    symlink(real.parent().unwrap().join("../lib"), prefix.join("lib")).unwrap();
    for dir in [prefix, &bin, &bin.join("postgres")] {
        fs::set_permissions(dir, Permissions::from_mode(0o777)).unwrap();
    }
    Installation::find(Some(&bin)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_superuser_changes_neither_the_golden_cluster_nor_the_programs() {
    let Some(installation) = installation() else {
        return;
    };
    if Isolation::of_machine() == Isolation::Process {
        return skip(Need::Unshare, "this machine has no namespaces");
    }
    let home = tempfile::tempdir().unwrap();
    // The server's user must reach the programs, so they are in no directory of the user who runs the tests.
    let prefix = tempfile::tempdir_in("/var/tmp").unwrap();
    let goldens = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let goldens = goldens.unwrap_or_else(|_| tempfile::tempdir().unwrap());
    fs::set_permissions(goldens.path(), Permissions::from_mode(0o777)).unwrap();
    let installation = programs(&installation, prefix.path());
    let service = PostgresService::with_installation(installation, goldens.path());
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let start = tree(&store, &of_superuser());
    let mut before = None;
    for _ in 0..2 {
        let world = state(&start, &store, home.path(), SessionLimits::default());
        let session = service.open(world).await.unwrap();
        let shared = (content(goldens.path()), content(prefix.path()));
        let before = before.get_or_insert_with(|| shared.clone());
        assert!(*before == shared, "a session began with other files");
        let client = ToolClient::connect(&*session).await.unwrap();
        let attempts = ATTEMPTS
            .replace("GOLDENS", goldens.path().to_str().unwrap())
            .replace("PREFIX", prefix.path().to_str().unwrap());
        let sql = format!(
            "CREATE TABLE seen (line text); COPY seen FROM PROGRAM '{attempts}'; SELECT line FROM seen"
        );
        let arguments = json!({ "sql": sql }).as_object().cloned().unwrap();
        let limit = std::time::Duration::from_secs(90);
        let output = client.call("execute_sql", arguments, limit).await.unwrap();
        let text = output.text();
        // It ran, the installation is visible and read-only, and the golden cluster is not visible.
        assert!(text.contains("Read-only file system"), "{text}");
        assert!(text.contains("'bin'"), "{text}");
        assert!(!text.contains("pg_wal"), "{text}");
        let after = (content(goldens.path()), content(prefix.path()));
        assert!(*before == after, "a session has changed shared files");
        client.close().await.unwrap();
        session.close().await.unwrap();
    }
}
