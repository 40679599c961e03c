//! A host that is killed leaves nothing behind, and a browser that is killed is replaced.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use mcpmark_service::ToolClient;
use mcpmark_snapshot::Store;
use serde_json::json;

use crate::support::{CALL_LIMIT, World, entries, open, programs, tree};

/// Variable with the directory of the session that the killed process opens.
const HOME: &str = "MCPMARK_TEST_KILLED_HOME";
/// Line that the process prints when a page is open.
const OPEN: &str = "a page is open";
/// Time within which the page opens, and within which everything is gone.
const LIMIT: Duration = Duration::from_secs(180);

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
    let (Some(home), Some(programs)) = (std::env::var_os(HOME), programs()) else {
        return;
    };
    let home = Path::new(&home);
    let store = Arc::new(Store::open(home.join("store")).unwrap());
    let start = tree(&store, &entries());
    let session = open(&programs, &start, &store, home).await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    let url = json!({ "url": "http://forum.test/" });
    let arguments = url.as_object().cloned().unwrap();
    let called = client.call("browser_navigate", arguments, CALL_LIMIT).await;
    assert!(!called.unwrap().is_error);
    writeln!(std::io::stdout(), "{OPEN}").unwrap();
    std::future::pending::<()>().await;
}

/// Process by its id and its start time, so that reused ids are told apart.
type Process = (u32, String);

fn fields(id: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

/// Returns the descendants of a process.
fn descendants(root: u32) -> BTreeSet<Process> {
    let ids = fs::read_dir("/proc").unwrap().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let processes: Vec<(u32, u32, String)> = ids
        .filter_map(|id: u32| {
            let fields = fields(id)?;
            Some((id, fields.get(1)?.parse().ok()?, fields.get(19)?.clone()))
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

fn lives((id, start): &Process) -> bool {
    let Some(fields) = fields(*id) else {
        return false;
    };
    fields.first().is_none_or(|state| state != "Z") && fields.get(19) == Some(start)
}

fn name((id, _): &Process) -> String {
    let name = fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

fn private_entries(home: &Path) -> usize {
    let entries = fs::read_dir(home).unwrap().flatten();
    entries.filter(|entry| entry.file_name() != "store").count()
}

#[test]
fn a_killed_host_leaves_nothing() {
    if programs().is_none() {
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
    assert_eq!(opened.recv_timeout(LIMIT), Ok(true), "no page was opened");
    let started = descendants(host.0.id());
    let names: Vec<String> = started.iter().map(name).collect();
    for program in ["node", "chrom"] {
        let is_running = names.iter().any(|name| name.starts_with(program));
        assert!(is_running, "{program}: {names:?}");
    }
    assert_eq!(private_entries(home.path()), 1);

    host.0.kill().unwrap();
    host.0.wait().unwrap();
    let began = Instant::now();
    while started.iter().any(lives) || private_entries(home.path()) > 0 {
        let left: Vec<String> = started.iter().filter(|it| lives(it)).map(name).collect();
        assert!(began.elapsed() < LIMIT, "{left:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(home.path().to_str().unwrap()));
}

/// Returns the processes with a name of the session whose private directory is in `home`.
fn of_session(home: &Path, program: &str) -> Vec<Process> {
    let home = home.to_str().unwrap();
    let own = descendants(std::process::id());
    let guards = own.iter().filter(|(id, _)| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(home)
    });
    let all: BTreeSet<Process> = guards.flat_map(|(id, _)| descendants(*id)).collect();
    let named = all.into_iter().filter(|it| name(it).starts_with(program));
    named.collect()
}

fn kill(processes: &[Process]) {
    for (id, _) in processes {
        let id = i32::try_from(*id).unwrap();
        let id = rustix::process::Pid::from_raw(id).unwrap();
        // It may have ended with another one.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_browsers_and_servers_are_replaced() {
    let Some(world) = World::open().await else {
        return;
    };
    world.navigate("http://forum.test/").await;
    let browsers = of_session(world.home.path(), "chrom");
    assert!(!browsers.is_empty());
    kill(&browsers);
    // The published server notices the end of its browser, and starts another one.
    let url = json!({ "url": "http://forum.test/thread/1" });
    let mut answer = world.call("browser_navigate", url.clone()).await;
    for _ in 0..20 {
        if !answer.is_error {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        answer = world.call("browser_navigate", url.clone()).await;
    }
    assert!(answer.text().contains("Which flour?"), "{}", answer.text());

    let servers = of_session(world.home.path(), "node");
    assert!(!servers.is_empty());
    kill(&servers);
    let text = world
        .fails("browser_navigate", json!({ "url": "http://forum.test/" }))
        .await;
    assert!(text.contains("was started again"), "{text}");
    let page = world.navigate("http://forum.test/").await;
    assert!(page.contains("heading \"Forum\""), "{page}");
    // The sites are not in the namespaces, so nothing is lost.
    let state = world.capture().await;
    let log = world.read(&state, "requests.jsonl");
    assert!(log.lines().count() >= 3, "{log}");
    world.close().await;
}
