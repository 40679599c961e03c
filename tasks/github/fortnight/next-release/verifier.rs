//! The release, prepared again from the starting world.

use std::collections::BTreeSet;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const CHANGELOG: &str = "CHANGELOG.md";
/// The parts of the change log with the labels of what stands there.
const PARTS: [(&str, &[&str]); 3] = [
    ("Added", &["feature", "words"]),
    ("Changed", &["breaking", "deprecation"]),
    ("Fixed", &["fix"]),
];

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let last = repository.tag("v3.4.0").required();
    let since = repository.log_since("main", &last).required();
    let merged = merged(task, &since);
    let undone = undone(&merged, &since);
    let is_left_out = |pull: &Pull| {
        let number = pull.issue.number;
        undone.iter().any(|it| it.0 == number || it.1 == number)
    };
    let told: Vec<&Pull> = merged.iter().filter(|it| !is_left_out(it)).collect();
    let version = next(&told);
    assert!(
        undone.len() > 1 && version != next(&merged.iter().collect::<Vec<_>>()),
        "nothing that was taken back matters in this world"
    );

    let parts = PARTS.map(|(heading, labels)| {
        let here = told.iter().filter(|it| has(it, labels)).copied();
        (heading, here.collect::<Vec<&Pull>>())
    });
    let mut section = format!("## {version} - 2025-04-28\n");
    for (heading, pulls) in parts.iter().filter(|(_, pulls)| !pulls.is_empty()) {
        section.push_str(&format!("\n### {heading}\n\n"));
        for pull in pulls {
            section.push_str(&format!(
                "- {} (#{})\n",
                pull.issue.title, pull.issue.number
            ));
        }
    }
    let before = repository.file("main", CHANGELOG).text().required();
    let (head, rest) = before.split_once("## ").expect("there were releases");
    let expected = format!("{head}{section}\n## {rest}");

    let (branch, title) = (format!("prepare/{version}"), format!("Release {version}"));
    let tip = task.check_one_commit((&branch, "main"), &title, [CHANGELOG, "VERSION"]);
    let file = tip.file(CHANGELOG);
    for (at, line) in section.lines().enumerate() {
        task.check(
            format!("line {} of the section", at + 1),
            file.text().line(3 + at).equals(line),
        );
    }
    task.check("the change log to the last byte", file.equals(&expected));
    task.check(
        "the version",
        tip.file("VERSION").equals(&format!("{version}\n")),
    );

    let [added, changed, fixed] = parts.each_ref().map(|(_, pulls)| pulls.len());
    let mut body = format!("{added} added, {changed} changed, {fixed} fixed.\n");
    for (change, revert) in &undone {
        body.push_str(&format!("\n- #{change} was taken back by #{revert}"));
    }
    let entries = parts.iter().flat_map(|(_, pulls)| pulls);
    let authors: BTreeSet<&str> = entries.map(|it| it.issue.user.as_str()).collect();
    let pull = task.check_new_pull(&Proposal {
        head: &branch,
        base: "main",
        title: &title,
        body: &body,
        reviewers: &authors.into_iter().collect::<Vec<_>>(),
    });
    let own = pull.get().map(|it| it.issue.number).unwrap_or_default();
    let touched = check_put_off(task, &format!("Not in {version}, see #{own}."));
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &[&branch],
        ..Allowed::default()
    });
}

/// Adds checks that what waits for the next release waits longer, and gives the numbers.
fn check_put_off(task: &mut Verifier, words: &str) -> Vec<u64> {
    let milestones = task.start().file("milestones.json").json().required();
    let milestone = |title: &str| {
        let mut all = milestones.as_array().into_iter().flatten();
        let found = all.find(|it| it["title"] == title);
        found.and_then(|it| it["number"].as_u64())
    };
    let (next, later) = (milestone("Next release"), milestone("Some day"));
    assert!(
        next.is_some() && later.is_some(),
        "both milestones are there"
    );
    let mut waiting = task.start().issues().required();
    waiting.retain(|it| it.milestone == next);
    let all = waiting.len();
    waiting.retain(|it| it.state == "open");
    assert!(
        waiting.len() > 2 && waiting.len() < all,
        "there is nothing to put off"
    );
    for issue in &mut waiting {
        issue.milestone = later;
        issue.comments.push(Comment {
            user: task.viewer(),
            body: words.to_owned(),
        });
        task.check(
            format!("#{} waits longer", issue.number),
            task.end().issue(issue.number).is_like(issue),
        );
    }
    waiting.iter().map(|it| it.number).collect()
}

/// What was merged since, in the order in which it was.
fn merged(task: &Verifier, since: &[Commit]) -> Vec<Pull> {
    let mut merged = task.start().pulls().required();
    merged.retain(|pull| {
        let id = pull.merge_commit_sha.as_deref();
        let is_since = since.iter().any(|commit| Some(commit.id()) == id);
        pull.merged_at.is_some() && is_since
    });
    merged.sort_by(|one, other| one.merged_at.cmp(&other.merged_at));
    merged
}

/// The numbers of what was taken back, and of what did it.
fn undone(merged: &[Pull], since: &[Commit]) -> Vec<(u64, u64)> {
    let by_commit = |id: &str| {
        let mut all = merged.iter();
        all.find(|it| it.merge_commit_sha.as_deref() == Some(id))
            .map(|it| it.issue.number)
    };
    let reverted = |commit: &Commit| -> Option<(u64, u64)> {
        let (_, rest) = commit.message().split_once("This reverts commit ")?;
        Some((by_commit(rest.get(..40)?)?, by_commit(commit.id())?))
    };
    let place = |number: u64| merged.iter().position(|it| it.issue.number == number);
    let mut undone: Vec<(u64, u64)> = since.iter().filter_map(reverted).collect();
    undone.sort_by_key(|(change, _)| place(*change));
    undone
}

fn has(pull: &Pull, labels: &[&str]) -> bool {
    let mut own = pull.issue.labels.iter();
    own.any(|label| labels.contains(&label.as_str()))
}

/// The version that follows 3.4.0 when this is in it.
fn next(pulls: &[&Pull]) -> &'static str {
    let any = |labels: &[&str]| pulls.iter().any(|it| has(it, labels));
    if any(&["breaking"]) {
        "4.0.0"
    } else if any(&["deprecation", "feature", "words"]) {
        "3.5.0"
    } else {
        "3.4.1"
    }
}
