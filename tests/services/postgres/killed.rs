//! A host that is killed leaves nothing behind.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use mcpmark_service::SessionLimits;
use mcpmark_snapshot::Store;

use crate::support::{WORLD, installation, open, tree};

/// Variable with the directory of the session that the killed process opens.
const HOME: &str = "MCPMARK_TEST_KILLED_HOME";
/// Line that the process prints when its session is open.
const OPEN: &str = "the session is open";

/// Time within which the session opens, and within which everything is gone.
const LIMIT: Duration = Duration::from_secs(120);

/// Process with a session, which is killed on drop.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Not a test: the process that `a_killed_host_leaves_nothing` starts and kills.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by another test"]
async fn host() {
    let Some(home) = std::env::var_os(HOME) else {
        return;
    };
    let home = Path::new(&home);
    let store = Arc::new(Store::open(home.join("store")).unwrap());
    let start = tree(&store, WORLD);
    let session = open(&start, &store, home, SessionLimits::default());
    let _session = session.await.unwrap();
    writeln!(std::io::stdout(), "{OPEN}").unwrap();
    std::future::pending::<()>().await;
}

/// Returns the ids of the descendants of a process, with their start times, so that reused ids are told apart.
fn descendants(root: u32) -> BTreeSet<(u32, String)> {
    let processes: Vec<(u32, u32, String)> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            Some((
                id,
                fields.get(1)?.parse().ok()?,
                (*fields.get(19)?).to_owned(),
            ))
        })
        .collect();
    let mut found = BTreeSet::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for (id, _, start) in processes.iter().filter(|(_, of, _)| *of == parent) {
            found.insert((*id, start.clone()));
            parents.push(*id);
        }
    }
    found
}

fn lives((id, start): &(u32, String)) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return false;
    };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields.first() != Some(&"Z") && fields.get(19) == Some(&start.as_str())
}

#[test]
fn a_killed_host_leaves_nothing() {
    if installation().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut host = Host(
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::host", "--ignored", "--nocapture"])
            .env(HOME, home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut lines = BufReader::new(host.0.stdout.take().unwrap()).lines();
    let (sender, opened) = mpsc::channel();
    std::thread::spawn(move || {
        let found = lines.any(|line| line.is_ok_and(|line| line.contains(OPEN)));
        // The test may have ended meanwhile.
        let _ = sender.send(found);
    });
    assert_eq!(
        opened.recv_timeout(LIMIT),
        Ok(true),
        "the session did not open"
    );
    let started = descendants(host.0.id());
    let names = |(id, _): &(u32, String)| {
        fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default()
    };
    assert!(
        started.iter().any(|it| names(it) == "postgres\n"),
        "{started:?}"
    );
    let scratch = |home: &Path| {
        let entries = fs::read_dir(home).unwrap().flatten();
        entries.filter(|entry| entry.file_name() != "store").count()
    };
    assert_eq!(scratch(home.path()), 1);

    host.0.kill().unwrap();
    host.0.wait().unwrap();
    let began = Instant::now();
    while started.iter().any(lives) || scratch(home.path()) > 0 {
        assert!(
            began.elapsed() < LIMIT,
            "processes: {:?}; entries: {}",
            started
                .iter()
                .filter(|it| lives(it))
                .map(names)
                .collect::<Vec<_>>(),
            scratch(home.path())
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(home.path().to_str().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_session_leaves_nothing() {
    if installation().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let start = tree(&store, WORLD);
    let session = open(&start, &store, home.path(), SessionLimits::default());
    let session = session.await.unwrap();
    let entries = || fs::read_dir(home.path()).unwrap().count();
    assert_eq!(entries(), 2);
    drop(session);
    let began = Instant::now();
    while entries() > 1 {
        assert!(
            began.elapsed() < LIMIT,
            "the directory of the session is still there"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
