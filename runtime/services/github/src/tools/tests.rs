//! Tests of calls that are cancelled, run out of memory, or exceed the quota of the world.

use std::collections::BTreeMap;

use mcpmark_service::CallMeter;
use serde_json::{Value, json};

use super::*;
use crate::git::{Base, Draft, Edit, EntryKind, Git, ObjectId};
use crate::hub::{Hub, Issue, Pull, Repository, Time};
use crate::profile::Optional;

const FILES: usize = 200;

/// Repository with pull request 1, which changes and adds files in a directory that its base has changed, too.
struct World {
    _scratch: tempfile::TempDir,
    tools: Tools,
}

fn commit(git: &mut Git, branch: &str, from: &[ObjectId], files: &[(String, String)]) -> ObjectId {
    let tree = match from.first() {
        Some(parent) => git.tree_of(*parent).unwrap(),
        None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
    };
    let put = |(path, text): &(String, String)| Edit::Put {
        path: path.clone(),
        kind: EntryKind::File,
        id: git.write_blob(text.as_bytes()).unwrap(),
    };
    let edits: Vec<Edit> = files.iter().map(put).collect();
    let who = crate::git::Identity {
        name: "Ann".to_owned(),
        email: "ann@example.org".to_owned(),
        seconds: 1_000,
        offset: 0,
    };
    let draft = Draft {
        tree: git.edit_tree(tree, &edits).unwrap(),
        parents: from.to_vec(),
        author: who.clone(),
        committer: who,
        message: format!("Change {branch}"),
    };
    let id = git.write_commit(draft).unwrap();
    git.set_ref(format!("refs/heads/{branch}"), id);
    id
}

impl World {
    fn new(room: u64) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let mut git = Git::new(Base::empty(scratch.path()).unwrap());
        let text = |mark: &str, at: usize| -> String {
            let lines = (0..100).map(|line| {
                if line == at {
                    format!("{mark}\n")
                } else {
                    format!("line {line}\n")
                }
            });
            lines.collect()
        };
        let all = |mark: &str, at: usize, count: usize| -> Vec<(String, String)> {
            let file = |number: usize| {
                (
                    format!("src/{number}.txt"),
                    text(mark, at) + &number.to_string(),
                )
            };
            (0..count).map(file).collect()
        };
        let start = commit(&mut git, "main", &[], &all("", 200, FILES));
        let head = commit(&mut git, "topic", &[start], &all("theirs", 90, FILES / 2));
        let base = commit(&mut git, "main", &[start], &all("ours", 10, FILES / 2));
        let repository =
            json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"});
        let repository: Repository = serde_json::from_value(repository).unwrap();
        let mut hub = Hub::new(repository, Time(2_000));
        hub.last.issue = 1;
        let pull = Pull {
            head: "topic".to_owned(),
            base: "main".to_owned(),
            head_sha: head.to_string(),
            base_sha: base.to_string(),
            ..Pull::default()
        };
        let issue = Issue {
            number: 1,
            title: "Change".to_owned(),
            body: Some("word ".repeat(10_000)),
            user: "ann".to_owned(),
            pull: Some(Box::new(pull)),
            ..Issue::default()
        };
        hub.issues.insert(1, issue);
        let limits = SessionLimits {
            max_bytes: room,
            ..SessionLimits::default()
        };
        let quota = Quota::of(&Tree::empty(), &limits).unwrap();
        let profile = Profile::V0_15_0;
        let surface = profile.surface(Optional::default()).unwrap();
        Self {
            _scratch: scratch,
            tools: Tools::new(
                profile,
                surface,
                RepositoryState::new(hub, git),
                None,
                quota,
            ),
        }
    }

    /// Returns the content of a state, and the size of objects that were added to the world.
    fn state(&mut self) -> (Hub, BTreeMap<String, ObjectId>, u64) {
        let repo = &mut self.tools.repo;
        let refs = repo
            .git
            .refs_below("")
            .map(|(name, id)| (name.to_owned(), id));
        (repo.hub.clone(), refs.collect(), repo.git.added_bytes())
    }

    /// Returns the text of a result, and whether the call failed.
    fn call(&mut self, meter: &CallMeter, tool: &str, arguments: &Value) -> (String, bool) {
        let mut arguments = arguments.as_object().cloned().unwrap();
        arguments.insert("owner".to_owned(), "acme".into());
        arguments.insert("repo".to_owned(), "demo".into());
        match meter.run(|| self.tools.call(tool, arguments)) {
            Ok(result) => {
                let text = serde_json::to_value(&result.content[0]).unwrap();
                let text = text["text"].as_str().unwrap().to_owned();
                (text, result.is_error == Some(true))
            }
            Err(error) => (error.message.to_string(), true),
        }
    }
}

/// Calls with large reads and writes, all of which reserve memory.
fn calls() -> Vec<(&'static str, Value)> {
    let files = |count: usize| -> Value {
        let file = |number: usize| json!({"path": format!("new/{number}.txt"), "content": "x".repeat(100)});
        (0..count).map(file).collect()
    };
    let merge = |method: &str| json!({"pullNumber": 1, "merge_method": method});
    vec![
        (
            "create_or_update_file",
            json!({"path": "src/new.txt", "content": "new", "message": "Add", "branch": "main"}),
        ),
        (
            "push_files",
            json!({"branch": "main", "message": "Add", "files": files(100)}),
        ),
        (
            "delete_file",
            json!({"path": "src/1.txt", "message": "Delete", "branch": "main"}),
        ),
        ("merge_pull_request", merge("merge")),
        ("merge_pull_request", merge("squash")),
        ("merge_pull_request", merge("rebase")),
        ("update_pull_request_branch", json!({"pullNumber": 1})),
        ("get_pull_request", json!({"pullNumber": 1})),
        ("get_pull_request_diff", json!({"pullNumber": 1})),
        ("get_pull_request_files", json!({"pullNumber": 1})),
        ("search_pull_requests", json!({"query": "word"})),
    ]
}

#[test]
fn a_call_that_is_stopped_changes_nothing() {
    for (tool, arguments) in calls() {
        let mut world = World::new(1 << 30);
        let before = world.state();
        let cancelled = CallMeter::new(u64::MAX);
        cancelled.cancel();
        let said = world.call(&cancelled, tool, &arguments);
        assert_eq!(said, ("the call was cancelled".to_owned(), true), "{tool}");
        assert!(world.state() == before, "{tool} was cancelled");
        // Runs out of memory at a later place each time.
        let (mut limit, mut stopped) = (1_000, 0);
        loop {
            let meter = CallMeter::new(limit);
            let (said, failed) = world.call(&meter, tool, &arguments);
            assert_eq!(meter.used(), 0, "{tool}");
            if !failed {
                break;
            }
            assert!(
                said.contains(&format!("{limit} bytes that it may use")),
                "{tool}: {said}"
            );
            assert!(world.state() == before, "{tool} with {limit} bytes");
            (limit, stopped) = (limit + limit / 2, stopped + 1);
        }
        assert!(stopped > 0, "{tool} counts no memory");
        let reads = tool.starts_with("get") || tool.starts_with("search");
        assert_eq!(world.state() == before, reads, "{tool}");
    }
}

#[test]
fn a_call_without_room_changes_nothing() {
    let meter = CallMeter::new(u64::MAX);
    for (tool, arguments) in calls() {
        let mut world = World::new(2_000);
        let before = world.state();
        let (said, failed) = world.call(&meter, tool, &arguments);
        let reads = tool.starts_with("get") || tool.starts_with("search");
        assert_eq!(failed, !reads, "{tool}: {said}");
        assert!(reads || said.contains("limit of bytes"), "{tool}: {said}");
        assert!(world.state() == before, "{tool}");
        assert_eq!(world.tools.quota.room, 2_000, "{tool}");
    }
}

#[test]
fn all_objects_of_a_call_count_towards_the_quota() {
    let meter = CallMeter::new(u64::MAX);
    let mut world = World::new(1 << 30);
    let file = json!({"path": "src/new.txt", "content": "new", "message": "Add", "branch": "main"});
    assert!(!world.call(&meter, "create_or_update_file", &file).1);
    // The directory is written again with an entry for each of its files.
    let taken = (1 << 30) - world.tools.quota.room;
    assert!(taken > FILES as u64 * 28, "{taken}");
    let before = world.tools.quota.room;
    assert!(
        !world
            .call(&meter, "merge_pull_request", &json!({"pullNumber": 1}))
            .1
    );
    let merged = before - world.tools.quota.room;
    assert!(merged > FILES as u64 / 2 * 700, "{merged}");
}

fn request(method: &str, target: &str, body: &str) -> HttpRequest {
    HttpRequest {
        method: method.to_owned(),
        target: format!("/repos/acme/demo{target}"),
        body: body.as_bytes().to_vec(),
        ..HttpRequest::default()
    }
}

#[test]
fn a_refused_name_of_a_branch_is_not_charged() {
    let mut world = World::new(1 << 30);
    let room = world.tools.quota.room;
    let before = world.state();
    let rename = |name: &str| {
        let body = json!({"new_name": name}).to_string();
        request("POST", "/branches/topic/rename", &body)
    };
    assert_eq!(world.tools.rest(&rename("main/x")).status, 422);
    assert!(world.state() == before);
    assert_eq!(world.tools.quota.room, room);
    assert_eq!(world.tools.rest(&rename("topic/x")).status, 201);
    assert!(world.tools.quota.room < room);
}

#[test]
fn rest_is_stopped_alike() {
    let mut world = World::new(1 << 30);
    let before = world.state();
    let cancelled = CallMeter::new(u64::MAX);
    cancelled.cancel();
    let merge = request("PUT", "/pulls/1/merge", "{}");
    let answer = cancelled.run(|| world.tools.rest(&merge));
    assert_eq!(answer.status, 503);
    assert!(String::from_utf8_lossy(&answer.body).contains("the call was cancelled"));
    let answer = CallMeter::new(2_000).run(|| world.tools.rest(&merge));
    assert_eq!(answer.status, 503);
    assert!(String::from_utf8_lossy(&answer.body).contains("2000 bytes that it may use"));
    assert!(world.state() == before);
    // An unreachable blob is kept.
    let blob = request("POST", "/git/blobs", r#"{"content": "x"}"#);
    assert_eq!(world.tools.rest(&blob).status, 201);
    assert!(world.state() != before);
    assert_eq!(world.tools.rest(&merge).status, 200);
}
