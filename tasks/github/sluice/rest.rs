//! What the verifiers on this repository share: that nothing moved but what the task asks for.
#![allow(dead_code, reason = "each task uses a part of it")]

use std::collections::BTreeMap;

use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Commit, Condition, Found, Issue, Pull, Tree, Verifier};

/// Whom the tools act as.
pub const VIEWER: &str = "lowfield-desk";

/// What the task allows to be otherwise.
#[derive(Default)]
pub struct Allowed<'a> {
    /// Issues and pull requests that are judged by other checks.
    pub touched: Vec<u64>,
    /// How many pull requests are new.
    pub new_pulls: usize,
    /// New branches.
    pub branches: &'a [&'a str],
}

/// Adds checks that everything else is as it was.
pub fn check(task: &mut Verifier, allowed: &Allowed<'_>) {
    let (start, end) = (task.start(), task.end());
    let kept = Condition::all(["issues.json", "pulls.json"].map(|name| {
        let new = if name == "pulls.json" {
            allowed.new_pulls
        } else {
            0
        };
        entries(&end, name).satisfies(|after| match entries(&start, name).get() {
            Ok(before) => same_entries(before, after, &allowed.touched, new),
            Err(reason) => Condition::fail(reason),
        })
    }));
    task.check("other issues and pull requests are as they were", kept);
    let names = ["repository", "labels", "milestones", "releases"];
    let kept = Condition::all(names.map(|name| {
        let path = format!("{name}.json");
        let before = start.file(&path).json().required();
        end.file(&path).json().equals(&before)
    }));
    task.check("labels, milestones and releases are as they were", kept);
    let (before, after) = (start.repository(), end.repository());
    let mut branches = before.branches().required();
    let unmoved = Condition::all(branches.iter().map(|name| after.branch_is_unmoved(name)));
    branches.extend(allowed.branches.iter().map(|&name| name.to_owned()));
    task.check("no other branch is there", after.branches_are(&branches));
    task.check("no other branch moved", unmoved);
    let tags = before.tags().required();
    let same = Condition::all(tags.iter().map(|name| {
        let expected = before.tag(name).required();
        after.tag(name).satisfies(|found| {
            Condition::when(found.id() == expected.id(), "expected it where it was")
        })
    }));
    task.check(
        "the tags are as they were",
        after.tags().equal(&tags).and(same),
    );
}

fn entries(tree: &Tree, name: &str) -> Found<BTreeMap<u64, Value>> {
    tree.file(name).json().try_map(|document| {
        let list = document.as_array().ok_or("expected a list")?;
        let numbered = list.iter().map(|entry| {
            let number = entry["number"].as_u64().ok_or("an entry has no number")?;
            let mut entry = entry.clone();
            // The base of what is open is wherever its branch is.
            if entry["state"] == "open"
                && let Some(keys) = entry.as_object_mut()
            {
                keys.shift_remove("base_sha");
            }
            Ok((number, entry))
        });
        numbered.collect::<Result<_, String>>()
    })
}

fn same_entries(
    before: &BTreeMap<u64, Value>,
    after: &BTreeMap<u64, Value>,
    touched: &[u64],
    new: usize,
) -> Condition {
    for (number, entry) in before {
        match after.get(number) {
            None => return Condition::fail(format!("#{number} is gone")),
            Some(now) if now != entry && !touched.contains(number) => {
                return Condition::fail(format!("expected #{number} as it was, found it changed"));
            }
            Some(_) => {}
        }
    }
    let found = after.len() - before.len();
    Condition::when(found == new, format!("expected {new} new, found {found}"))
}

/// Holds when an issue is this one, labels and assignees in any order.
pub fn issue_is(found: &Found<Issue>, expected: &Issue) -> Condition {
    let sorted = |issue: &Issue| {
        let mut issue = issue.clone();
        issue.labels.sort();
        issue.assignees.sort();
        issue
    };
    found.map(sorted).is(sorted(expected))
}

/// The one pull request that is new.
pub fn new_pull(task: &Verifier) -> Found<Pull> {
    let before = task.start().pulls().required();
    task.end().pulls().one("the new pull request", |pull| {
        before.iter().all(|it| it.issue.number != pull.issue.number)
    })
}

/// What was committed on a new branch since the one that it was made from, the oldest first.
pub fn added(task: &Verifier, branch: &str, from: &str) -> Found<Vec<Commit>> {
    let base = task.start().repository().branch(from).required();
    task.repository()
        .log_since(branch, &base)
        .map(|commits| commits.iter().rev().cloned().collect())
}

/// Holds when a list of commits is a straight line that begins at a commit.
pub fn is_straight(commits: &[Commit], base: &Commit) -> Condition {
    let mut parent = base.id();
    for commit in commits {
        if commit.parents() != [parent] {
            return Condition::fail(format!(
                "expected {} on {}, found it elsewhere",
                commit.short(),
                &parent[..7]
            ));
        }
        parent = commit.id();
    }
    Condition::pass("one on the other")
}

/// Holds when a commit has this message, a line feed at its end or not.
pub fn message_is(commit: &Found<Commit>, expected: &str) -> Condition {
    commit
        .map(|commit| commit.message().trim_end_matches('\n').to_owned())
        .equals(expected)
}
