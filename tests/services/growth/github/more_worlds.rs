//! More worlds that grow in one dimension: accounts, releases, gists, sub-issues, reviews, workflow runs, and statuses
//! and comments of commits.

use std::path::Path;

use serde_json::{Value, json};

use super::worlds::{Repo, issue, lines, milestones, one, plain, pull};

fn write(world: &Path, file: &str, document: &Value) {
    std::fs::write(world.join(file), document.to_string()).expect("a document");
}

pub(super) fn users(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    milestones(world);
    repo.finish(world, &[issue(1, "", &[])], &[]);
    let login = |number: usize| format!("user-{number}");
    let user = |number| json!({"login": login(number), "name": format!("User {number}"), "email": format!("{number}@example.org")});
    let mut users = vec![
        json!({"login": "ann", "name": "Ann", "email": "ann@example.org"}),
        json!({"login": "acme", "type": "Organization"}),
    ];
    users.extend((0..size).map(user));
    write(world, "users.json", &users.into());
    let collaborators: Vec<String> = (0..size).map(login).collect();
    let repository = json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
        "collaborators": collaborators});
    write(world, "repository.json", &repository);
}

pub(super) fn releases(world: &Path, size: usize) {
    let (mut repo, first) = plain(world);
    repo.tag("noted", first);
    let release = |number: usize| {
        json!({"tag_name": format!("v{number}"), "name": format!("Release {number}"), "body": "Text", "author": "ann",
            "created_at": "2024-02-01T00:00:00Z", "published_at": "2024-02-01T00:00:00Z"})
    };
    for number in 0..size {
        repo.tag(&format!("v{number}"), first);
    }
    repo.finish(world, &[], &[]);
    let all: Value = (0..size).map(release).collect();
    write(world, "releases.json", &all);
}

pub(super) fn gists(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    repo.finish(world, &[], &[]);
    let gist = |number: usize| {
        json!({"id": format!("{number:032x}"), "owner": "ann", "description": "Text", "public": true,
            "files": {"a.txt": "text"}, "created_at": "2024-02-01T00:00:00Z", "updated_at": "2024-02-01T00:00:00Z"})
    };
    let all: Value = (0..size).map(gist).collect();
    write(world, "gists.json", &all);
}

/// Returns a text of 32 bytes times `size`, with code, mentions and references.
pub(super) fn body(size: usize) -> String {
    "Some words, `code` and @ann #1. ".repeat(size)
}

pub(super) fn bodies(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    let comments: Vec<String> = (0..20).map(|_| body(size)).collect();
    milestones(world);
    repo.finish(
        world,
        &[issue(1, "", &[]), issue(2, &body(size), &comments)],
        &[],
    );
}

/// Issues in a chain, each a sub-issue of the previous one. The first issue has the numbers 3 to 90 as sub-issues, of
/// which the last begins the chain. Number 2 has no parent.
pub(super) fn parts(world: &Path, size: usize) {
    let (repo, _) = plain(world);
    let labels: Vec<Value> = (0..50)
        .map(|it| json!({"name": format!("label {it}"), "color": "d73a4a"}))
        .collect();
    write(world, "labels.json", &labels.into());
    milestones(world);
    let mut all: Vec<Value> = (1..=size).map(|number| issue(number, "", &[])).collect();
    all[0]["type"] = "Bug".into();
    all[0]["sub_issues"] = (3..=90).collect();
    for number in 90..size {
        all[number - 1]["sub_issues"] = json!([number + 1]);
    }
    repo.finish(world, &all, &[]);
}

/// Creates the branch `topic` with a long new file and a merge of the branch `other`, so that its diff depends on the
/// base. Returns the tip.
fn with_long_file(repo: &mut Repo, file_lines: usize) -> String {
    let first = repo.commit("main", &[], "Begin", &one("README.md", "# Demo\n"));
    let text = lines(file_lines, 1, " new");
    let head = repo.commit("topic", &[first], "Change", &one("long.txt", &text));
    let early = repo.commit("other", &[first], "Other", &one("a.txt", "a"));
    repo.commit("main", &[first], "Go on", &one("b.txt", "b"));
    repo.commit("topic", &[head, early], "Merge", &one("a.txt", "a"))
        .to_string()
}

fn comment(id: usize, line: usize, commit: &str) -> Value {
    json!({"id": id, "user": "ann", "body": "Why is this so?", "path": "long.txt", "line": line, "side": "RIGHT",
        "commit_id": commit, "created_at": "2024-03-02T00:00:00Z"})
}

/// Writes reviews of a pull request with comments on its lines.
fn reviewed(world: &Path, reviews: usize, file_lines: usize, at: impl Fn(usize) -> usize) {
    let mut repo = Repo::new(world);
    let head = with_long_file(&mut repo, file_lines);
    let mut pull = pull(1, "topic");
    let review = |id: usize| {
        json!({"id": id, "user": "acme", "body": "Text", "state": "COMMENTED", "commit_id": head,
            "submitted_at": "2024-03-02T00:00:00Z"})
    };
    pull["reviews"] = (1..=reviews).map(review).collect();
    pull["review_comments"] = (1..=reviews).map(|id| comment(id, at(id), &head)).collect();
    repo.finish(world, &[], &[pull]);
}

/// Many pull requests with comments on one hunk. The comments and the lines of the hunk grow together.
pub(super) fn commented_pulls(world: &Path, size: usize) {
    const PULLS: usize = 70;
    let mut repo = Repo::new(world);
    let head = with_long_file(&mut repo, 100 * size);
    let id = gix::ObjectId::from_hex(head.as_bytes()).expect("an id");
    let mut pulls = Vec::new();
    for number in 1..=PULLS {
        let branch = format!("topic-{number}");
        repo.set(&format!("refs/heads/{branch}"), id);
        let mut pull = pull(number, &branch);
        let comments = (1..=size).map(|at| comment(number * size + at, 100 * at, &head));
        pull["review_comments"] = comments.collect();
        pulls.push(pull);
    }
    repo.finish(world, &[], &pulls);
}

pub(super) fn reviews(world: &Path, size: usize) {
    reviewed(world, size, 60, |id| 1 + id % 60);
}

/// Comments on every tenth line.
pub(super) fn comments_and_lines(world: &Path, size: usize) {
    reviewed(world, size, 10 * size, |id| 10 * id);
}

/// Returns a workflow with jobs that runs at each push to a branch `run…`.
pub(super) fn workflow(jobs: usize) -> String {
    let mut text =
        "name: check\non:\n  push:\n    branches: ['run**']\n  workflow_dispatch:\njobs:\n"
            .to_owned();
    for job in 0..jobs {
        text += &format!(
            "  job-{job}:\n    runs-on: ubuntu-latest\n    steps:\n      - run: check {job}\n"
        );
    }
    text
}

/// Writes runs with failed jobs and logs, and the workflows that create more of them.
fn run_before(world: &Path, counts: [usize; 5]) {
    let [runs, jobs, log, files, jobs_of_file] = counts;
    let mut repo = Repo::new(world);
    let mut all = vec![
        (
            ".github/workflows/check.yml".to_owned(),
            Some(workflow(jobs_of_file)),
        ),
        ("log.txt".to_owned(), Some(lines(log, 7, " !"))),
    ];
    for file in 1..files {
        all.push((format!(".github/workflows/{file}.yml"), Some(workflow(1))));
    }
    let tip = repo.commit("main", &[], "Begin", &all);
    repo.finish(world, &[], &[]);
    let time = "2024-02-01T00:00:00Z";
    let run = |number: usize| {
        json!({"id": 1_000 + number, "name": "check", "path": ".github/workflows/check.yml", "event": "push",
            "run_number": number, "head_branch": "main", "head_sha": tip.to_string(), "conclusion": "failure",
            "actor": "ann", "created_at": time, "updated_at": time})
    };
    let job = |number: usize| {
        // Jobs beyond the number of runs belong to the first run.
        let of = if number <= runs {
            1_000 + number
        } else {
            1_001
        };
        json!({"id": 500_000 + number, "run_id": of, "name": format!("job {number}"), "conclusion": "failure",
            "started_at": time, "completed_at": time, "log": lines(log, 7, " !"),
            "steps": [{"name": "work", "conclusion": "failure", "number": 1}]})
    };
    let document = json!({
        "workflow_runs": (1..=runs).map(run).collect::<Value>(),
        "jobs": (1..=runs.max(jobs)).map(job).collect::<Value>(),
    });
    write(world, "runs.json", &document);
}

pub(super) fn runs(world: &Path, size: usize) {
    run_before(world, [size, 1, 2, 1, 1]);
}

pub(super) fn jobs(world: &Path, size: usize) {
    run_before(world, [100, size, 2, 1, 1]);
}

pub(super) fn logs(world: &Path, size: usize) {
    run_before(world, [4, 1, size, 1, 1]);
}

pub(super) fn workflows(world: &Path, size: usize) {
    run_before(world, [4, 1, 2, size, 1]);
}

pub(super) fn jobs_of_workflow(world: &Path, size: usize) {
    run_before(world, [4, 1, 2, 1, size]);
}

/// Pull requests with one head and different base branches at one commit. Merging them takes long.
pub(super) fn pulls_of_one_head(world: &Path, size: usize) {
    let mut repo = Repo::new(world);
    let files = |first: &str, last: &str| -> Vec<(String, Option<String>)> {
        let text = format!("{first}\n{}{last}\n", "same\n".repeat(60));
        let file = |number: usize| {
            (
                format!("src/{number}.txt"),
                Some(text.clone() + &number.to_string()),
            )
        };
        (0..400).map(file).collect()
    };
    let mut start = files("first", "last");
    let on_pull_requests =
        workflow(1).replace("  push:\n    branches: ['run**']\n", "  pull_request:\n");
    start.push((
        ".github/workflows/check.yml".to_owned(),
        Some(on_pull_requests),
    ));
    let start = repo.commit("main", &[], "Begin", &start);
    let base = repo.commit("main", &[start], "Ours", &files("ours", "last"));
    repo.commit("topic", &[start], "Theirs", &files("first", "theirs"));
    let mut pulls = Vec::new();
    for number in 1..=size {
        let branch = format!("base-{number}");
        repo.set(&format!("refs/heads/{branch}"), base);
        let mut pull = pull(number, "topic");
        pull["base"] = branch.into();
        pulls.push(pull);
    }
    repo.finish(world, &[], &pulls);
    write(
        world,
        "runs.json",
        &json!({"workflow_runs": [], "jobs": []}),
    );
}

pub(super) fn lines_of_one_file(world: &Path, size: usize) {
    let mut repo = Repo::new(world);
    let text = lines(size, size, "");
    repo.commit("main", &[], "Begin", &one("long.txt", &text));
    repo.finish(world, &[], &[]);
}

/// Prefix of the ids of comments that may be deleted. The numbers from 1 to 70 follow it.
pub(super) const DELETED: &str = "141000000";

/// Statuses and comments on the head of a pull request, and as many other commits with one comment each.
pub(super) fn remarks(world: &Path, size: usize) {
    /// Id of the comment with the number 0.
    const BASE: u64 = 140_000_000;
    let (mut repo, first) = plain(world);
    let tip = repo.commit("topic", &[first], "Change", &one("topic.txt", "a"));
    repo.finish(world, &[], &[pull(2, "topic")]);
    let comment = |id: u64| json!({"id": id, "user": "ann", "body": "Text of a comment."});
    let status = |number: usize| json!({"creator": "ann", "state": "success", "context": format!("check {number}")});
    let mut all = vec![json!({
        "sha": tip.to_string(),
        "comments": (1..=size as u64).map(comment).collect::<Value>(),
        "statuses": (0..size).map(status).collect::<Value>(),
    })];
    let deleted = (1..=70).map(|number| {
        let id: u64 = format!("{DELETED}{number}").parse().expect("a number");
        id - BASE
    });
    let others = (size as u64 + 1..).take(size).chain(deleted);
    // These commits do not exist in the repository.
    all.extend(others.map(|id| json!({"sha": format!("{id:040x}"), "comments": [comment(id)]})));
    write(world, "commits.json", &all.into());
}

/// Merged pull requests, each with a commit of the default branch. Only the first release is an ancestor of these
/// commits; the newer ones belong to another branch.
pub(super) fn merged_pulls(world: &Path, size: usize) {
    let (mut repo, first) = plain(world);
    repo.tag("first", first);
    let aside = repo.commit("topic", &[first], "Other", &one("a.txt", "a"));
    let release = |tag: &str, day: &str| json!({"tag_name": tag, "author": "ann", "created_at": format!("2024-01-{day}T00:00:00Z")});
    let mut releases = vec![release("first", "01")];
    let mut pulls = Vec::new();
    let mut tip = first;
    for number in 1..=size {
        let text = number.to_string();
        tip = repo.commit("main", &[tip], "Change", &one("main.txt", &text));
        let mut pull = pull(number, "topic");
        let time = "2024-03-02T00:00:00Z";
        pull["user"] = format!("user-{number}").into();
        pull["state"] = "closed".into();
        pull["merged_at"] = time.into();
        pull["closed_at"] = time.into();
        pull["merge_commit_sha"] = tip.to_string().into();
        pulls.push(pull);
        let tag = format!("v{number}");
        repo.tag(&tag, aside);
        releases.push(release(&tag, "02"));
    }
    repo.finish(world, &[], &pulls);
    write(world, "releases.json", &releases.into());
}

/// Branches `base-1` to `base-70`, which are bases and heads of pull requests and targets of draft releases.
pub(super) fn named_branches(world: &Path, size: usize) {
    const BRANCHES: usize = 70;
    let (mut repo, first) = plain(world);
    let head = repo.commit("head", &[first], "Change", &one("a.txt", "a"));
    for number in 1..=BRANCHES {
        repo.set(&format!("refs/heads/base-{number}"), first);
    }
    let (mut pulls, mut releases) = (Vec::new(), Vec::new());
    for number in 1..=size {
        let named = format!("base-{}", 1 + number / 2 % BRANCHES);
        let mut pull = pull(number, &named);
        if number % 2 == 0 {
            let from = format!("from-{number}");
            repo.set(&format!("refs/heads/{from}"), head);
            pull["head"] = from.into();
            pull["base"] = named.clone().into();
        } else {
            let into = format!("into-{number}");
            repo.set(&format!("refs/heads/{into}"), first);
            pull["base"] = into.into();
        }
        pulls.push(pull);
        releases.push(
            json!({"tag_name": format!("v{number}"), "draft": true, "target_commitish": named,
            "author": "ann", "created_at": "2024-02-01T00:00:00Z"}),
        );
    }
    repo.finish(world, &[], &pulls);
    write(world, "releases.json", &releases.into());
    let rules: Value = json!({"main": {"required_checks": ["a"]}});
    let repository = json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
        "protected_branches": rules});
    write(world, "repository.json", &repository);
}
