//! The service beside the `git` program on a repository with 5,000 commits.
//!
//! `cargo bench --workspace --bench git` prints the median of each in milliseconds, and their ratio. Beside a figure
//! that is held to a bound stands whether it is met; where one is missed the exit code is 1. The bounds are for two
//! cores with nothing else to do.

#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpmark_github::GitHub;
use mcpmark_github::git::{Filter, Git};
use mcpmark_github::rest::Rest;
use mcpmark_github::world::{self, Opened};
use mcpmark_service::{HttpRequest, Service, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, capture};
use serde_json::{Value, json};

const COMMITS: usize = 5000;
const FILES: usize = 400;
const ROUNDS: usize = 9;

/// The most that opening the world may take, in milliseconds.
const OPEN: f64 = 20.0;
/// The most that a call may take.
const CALL: f64 = 5.0;
/// The most that capturing the final state may take.
const CAPTURE: f64 = 50.0;
/// The most that the engine may take beside the program.
const RATIO: f64 = 1.0;

/// Prints figures and keeps in mind whether all bounds are met.
struct Figures {
    are_met: bool,
}

impl Figures {
    /// A line about what took some milliseconds, with `more` behind it.
    fn tell(&mut self, what: &str, took: f64, more: &str, figure: f64, bound: f64) {
        let is_met = figure <= bound;
        self.are_met &= is_met;
        let verdict = if is_met { "met" } else { "missed" };
        println!("{what:<34}{took:8.2} ms{more}  ≤ {bound}: {verdict}");
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut figures = Figures { are_met: true };
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("world");
    let repo = dir.join("repo");
    std::fs::create_dir_all(&repo).unwrap();
    make(&repo);
    let documents = [
        (
            "repository.json",
            json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
        ),
        (
            "pulls.json",
            json!([{"number": 1, "title": "T", "head": "topic", "base": "main",
                    "created_at": "2023-01-01T00:00:00Z", "updated_at": "2023-01-01T00:00:00Z"}]),
        ),
    ];
    for (name, document) in documents {
        std::fs::write(dir.join(name), document.to_string()).unwrap();
    }
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let tree = capture(&dir, &store, &CaptureOptions::default()).unwrap();

    let open = || world::open(&tree, &*store, home.path(), 1_800_000_000).unwrap();
    let first = Instant::now();
    let Opened { git, .. } = open();
    let first = millis(first.elapsed());
    figures.tell("open, the first in a process", first, "", first, OPEN);
    let again = median(|| drop(open()));
    figures.tell("open, while another is in use", again, "", again, OPEN);
    beside_git(&git, &repo, &mut figures);
    let clock = 1_800_000_000;
    let mut rest = Rest::open(&tree, &*store, home.path(), clock).unwrap();
    for below in ["/issues/1/timeline", "/issues/events"] {
        let request = HttpRequest {
            method: "GET".to_owned(),
            target: format!("/repos/acme/demo{below}"),
            ..HttpRequest::default()
        };
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            assert_eq!(rest.answer(&request, clock).unwrap().status, 200);
            times.push(millis(began.elapsed()));
        }
        let took = middle(times);
        figures.tell(&format!("GET {below}"), took, "", took, CALL);
    }

    let world = WorldState {
        tree,
        store,
        seed: 1,
        clock: 1_800_000_000,
        profile: None,
        limits: SessionLimits::default(),
        scratch: ScratchSpace::plain(home.path()),
    };
    let session = GitHub::default().open(world).await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    let calls = [
        ("list_commits", json!({"perPage": 100})),
        ("list_commits", json!({"perPage": 100, "page": 50})),
        (
            "list_commits",
            json!({"author": "a3@example.org", "page": 20}),
        ),
        ("list_commits", json!({"path": "dir1/file1.txt"})),
        ("get_commit", json!({"sha": "main"})),
        ("get_file_contents", json!({"path": "dir1/file1.txt"})),
        ("list_branches", json!({})),
        ("get_pull_request", json!({"pullNumber": 1})),
        ("get_pull_request_files", json!({"pullNumber": 1})),
        ("search_code", json!({"query": "changed 4990"})),
        ("create_issue", json!({"title": "x"})),
        (
            "push_files",
            json!({"branch": "main", "message": "m", "files": [{"path": "a", "content": "b"}]}),
        ),
    ];
    for (tool, arguments) in calls {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let began = Instant::now();
            call(&client, tool, &arguments).await;
            times.push(millis(began.elapsed()));
        }
        let took = middle(times);
        let what = match arguments.as_object().and_then(|it| it.keys().next_back()) {
            Some(last) => format!("call {tool}, {last}"),
            None => format!("call {tool}"),
        };
        figures.tell(&what, took, "", took, CALL);
    }
    for n in 0..20 {
        let files = json!([{"path": format!("dir{n}/file{n}.txt"), "content": format!("{n}")}]);
        call(
            &client,
            "push_files",
            &json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    }
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        session.capture().await.unwrap();
        times.push(millis(began.elapsed()));
    }
    let first = times[0];
    figures.tell("capture after 20 changes", first, "", first, CAPTURE);
    let again = middle(times);
    figures.tell("the same again", again, "", again, CAPTURE);
    if figures.are_met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn call(client: &ToolClient, tool: &str, arguments: &Value) {
    let mut arguments = arguments.as_object().cloned().unwrap();
    arguments.insert("owner".to_owned(), "acme".into());
    arguments.insert("repo".to_owned(), "demo".into());
    let output = client
        .call(tool, arguments, Duration::from_secs(60))
        .await
        .unwrap();
    assert!(!output.is_error, "{}", output.text());
}

/// The same questions to the engine and to the program.
fn beside_git(git: &Git, repo: &Path, figures: &mut Figures) {
    let tip = |name: &str| git.branch(name).unwrap();
    let (main, topic) = (tip("main"), tip("topic"));
    let earlier = git.log(main, &Filter::default(), 200, 1).unwrap()[0].tree;
    let latest = git.commit(main).unwrap().tree;
    let path = Filter {
        path: Some("dir1/file1.txt".to_owned()),
        ..Filter::default()
    };
    let all = Filter::default();
    type Ours<'a> = Box<dyn Fn() + 'a>;
    let pairs: [(&str, Ours<'_>, &[&str]); 4] = [
        (
            "list 5,000 commits",
            Box::new(|| assert_eq!(git.log(main, &all, 0, COMMITS).unwrap().len(), COMMITS)),
            &["log", "--format=%H %an %ae %ct%n%B", "main"],
        ),
        (
            "history of a path",
            Box::new(|| assert!(git.log(main, &path, 0, COMMITS).unwrap().len() > 5)),
            &[
                "log",
                "--format=%H %an %ae %ct%n%B",
                "main",
                "--",
                "dir1/file1.txt",
            ],
        ),
        (
            "merge",
            Box::new(|| drop(git.merge(main, topic).unwrap())),
            &["merge-tree", "--write-tree", "main", "topic"],
        ),
        (
            "patch of 200 commits",
            Box::new(|| assert!(git.changes(Some(earlier), latest).unwrap().len() > 100)),
            &["diff", "-M", "main~200", "main"],
        ),
    ];
    for (what, ours, arguments) in pairs {
        let (ours, theirs) = (median(ours), median(|| drop(run(repo, arguments, ""))));
        let ratio = ours / theirs;
        let more = format!(", git {theirs:8.2} ms, ratio {ratio:.2}");
        figures.tell(what, ours, &more, ratio, RATIO);
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn median(work: impl Fn()) -> f64 {
    let one = |_| {
        let began = Instant::now();
        work();
        millis(began.elapsed())
    };
    middle((0..ROUNDS).map(one).collect())
}

fn run(repo: &Path, arguments: &[&str], input: &str) -> Vec<u8> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    output.stdout
}

/// A packed repository: each commit changes two of the files, and a topic left the main branch 50 commits ago.
fn make(repo: &Path) {
    let mut lines: Vec<Vec<String>> = (0..FILES)
        .map(|file| {
            (0..30)
                .map(|line| format!("file {file} line {line}"))
                .collect()
        })
        .collect();
    let mut input = String::new();
    for commit in 0..COMMITS {
        let time = 1_700_000_000 + 600 * commit;
        let person = format!("A{0} <a{0}@example.org> {time} +0000", commit % 7);
        let about = if commit % 10 == 0 { "#1" } else { "body" };
        let message = format!("Commit {commit}\n\n{about} {commit}");
        write!(input, "commit refs/heads/main\nmark :{}\nauthor {person}\ncommitter {person}\ndata {}\n{message}\n", commit + 1, message.len()).unwrap();
        let changed: Vec<usize> = match commit {
            0 => (0..FILES).collect(),
            _ => vec![commit * 7 % FILES, commit * 13 % FILES],
        };
        for file in changed {
            lines[file][commit % 30] = format!("file {file} changed {commit}");
            let text = lines[file].join("\n") + "\n";
            write!(
                input,
                "M 100644 inline dir{}/file{file}.txt\ndata {}\n{text}\n",
                file % 20,
                text.len()
            )
            .unwrap();
        }
    }
    let person = "B <b@example.org> 1799000000 +0000";
    write!(input, "commit refs/heads/topic\nauthor {person}\ncommitter {person}\ndata 5\ntopic\nfrom :{}\nM 100644 inline new.txt\ndata 2\nx\n\n", COMMITS - 50).unwrap();
    run(repo, &["init", "-q", "-b", "main"], "");
    run(repo, &["fast-import", "--quiet"], &input);
    run(repo, &["gc", "-q"], "");
}
