//! Comparison with GitHub's own server: the Go program calls our REST interface, and each of its answers is compared
//! with that of our tools on an equal world. Both worlds must end in the same state.
//!
//! The program is version 0.12.1 from PyPI, the only one there. It expects its host at port 80, which the test provides
//! in a network namespace.

mod calls;
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use mcpmark_test_support::{Need, skip};
use serde_json::Value;
use tokio::net::TcpListener;

use self::calls::Call;
use self::program::{Client, Namespace, PACKAGE, Said, VERSION, install};
use crate::actions;
use crate::gists::with_gists;
use crate::support::World;

/// Tool whose result in v0.15.0, the version of our tools, is shorter than that of the program, with the fields that
/// have other names there. All remaining fields must be equal; numbers and numeric strings count as equal.
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

/// Tools with another name in the version of the program.
const RENAMED: &[(&str, &str)] = &[(
    "get_pull_request_review_comments",
    "get_pull_request_comments",
)];

/// Collects the fields of a value by path. All entries of a list have the same path.
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

/// Returns true if our result is a shorter form of the other one.
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

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_over_our_rest_what_our_tools_say() {
    let (ours, theirs) = (World::new().await, World::new().await);
    compare(ours, theirs, calls::of_the_default(), SHORTER).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_of_workflows_what_our_tools_say() {
    let (ours, _) = actions::world().await;
    let (theirs, _) = actions::world().await;
    compare(ours, theirs, calls::of_workflows(), &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_server_says_of_gists_what_our_tools_say() {
    let ours = World::of(with_gists).await;
    let theirs = World::of(with_gists).await;
    compare(ours, theirs, calls::of_gists(), &[]).await;
}

/// Keys of advice, for which our tools have other texts, and the number of lines of a log, which that version counts in
/// another way.
const ADVICE: [&str; 4] = ["optimization_tip", "note", "warning", "original_length"];

/// Removes the advice from a result. Returns results that are not objects unchanged.
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

/// Makes the same calls on two equal worlds: on ours with its tools, on theirs with the program.
async fn compare(ours: World, theirs: World, calls: Vec<Call>, shorter_ones: &'static [Shorter]) {
    let ready = || -> Result<_, String> {
        let program = install()?;
        let namespace = Namespace::new()?;
        let listener = namespace.listen(80)?;
        Ok((program, namespace, listener))
    };
    let (program, namespace, listener) = match tokio::task::spawn_blocking(ready).await.unwrap() {
        Ok(ready) => ready,
        Err(reason) => {
            skip(Need::GoServer, format!("{PACKAGE} {VERSION}: {reason}"));
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
                // A search would be restricted to the repository.
                if arguments.get(key).is_none() && !tool.starts_with("search_") {
                    arguments[key] = value.into();
                }
            }
            let renamed = RENAMED.iter().find(|(ours, _)| ours == tool);
            let name = renamed.map_or(*tool, |(_, theirs)| theirs);
            let one = own.call(tool, &arguments);
            let two = real.call(name, &arguments);
            // Error messages contain the host.
            let two = Said {
                kind: two.kind,
                text: two
                    .text
                    .replace("http://localhost/api/v3", "https://api.github.com"),
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
