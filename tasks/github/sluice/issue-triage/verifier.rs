//! What a person decides who has read the issues: a table of their titles, compared with the final state.

mod advice;
mod answer;

use std::collections::BTreeSet;

use mcpmark_guest::github::{Allowed, Comment, Issue, Pull};
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Condition, Found, Verifier};

use crate::answer::Mended;

mcpmark_guest::verifier!(verify);

/// What becomes of an issue.
enum Becomes {
    Labelled,
    /// Closed as a duplicate of the issue with this title.
    Repeats(&'static str),
    /// Answered: the pull request with this title mended it, and the reporter runs this release.
    Answered(&'static str, &'static str),
}

use Becomes::{Answered, Labelled, Repeats};

/// The issues without labels: title, label of the kind, label of the area, and what becomes of them.
const DECIDED: [(&str, &str, &str, Becomes); 7] = [
    (
        "Bang in the pipe",
        "bug",
        "area: hardware",
        Repeats("The pump starts before the valve is open"),
    ),
    (
        "Capstick says bad checksum",
        "bug",
        "area: hardware",
        Repeats("Checksum errors, Capstick"),
    ),
    (
        "Checksum errors with the Arrowell",
        "bug",
        "area: hardware",
        Labelled,
    ),
    (
        "Database is locked",
        "bug",
        "area: readings",
        Repeats("database is locked!!"),
    ),
    (
        "Install guide for the new image",
        "enhancement",
        "needs info",
        Labelled,
    ),
    (
        "Valve open all night again",
        "bug",
        "area: hardware",
        Answered("valves: forget a valve only when it is closed", "2.1.2"),
    ),
    (
        "database is locked!!",
        "bug",
        "area: readings",
        Repeats("Database is locked"),
    ),
];

fn verify(task: &mut Verifier) {
    let issues = task.start().issues().required();
    let fresh = issues
        .iter()
        .filter(|it| it.state == "open" && it.labels.is_empty());
    let fresh: BTreeSet<&str> = fresh.map(|it| it.title.as_str()).collect();
    let decided: BTreeSet<&str> = DECIDED.iter().map(|(title, ..)| *title).collect();
    assert_eq!(fresh, decided, "the world has other issues to triage");
    let mut touched = Vec::new();
    for (title, kind, area, becomes) in &DECIDED {
        let issue = titled(&issues, title);
        touched.push(issue.number);
        let mut labels = vec![*kind, *area];
        match becomes {
            Labelled => check_labelled(task, issue),
            Answered(pull, theirs) => check_answered(task, &issues, issue, pull, theirs),
            // Of two that nobody has labelled, the older one is repeated.
            Repeats(other) if titled(&issues, other).number > issue.number => {
                check_labelled(task, issue)
            }
            Repeats(other) => {
                labels.push("duplicate");
                check_duplicate(task, issue, titled(&issues, other), &issues);
            }
        }
        let found = task.end().issue(issue.number);
        task.check(
            format!("#{} has its labels", issue.number),
            found.labels_are(&labels),
        );
    }
    task.nothing_else_moved(&Allowed {
        touched,
        ..Allowed::default()
    });
}

fn titled<'a>(issues: &'a [Issue], title: &str) -> &'a Issue {
    let mut all = issues.iter().filter(|it| it.title == title);
    match (all.next(), all.next()) {
        (Some(issue), None) => issue,
        _ => panic!("expected one issue with the title {title:?}"),
    }
}

/// The code of the form of an issue.
fn code(issue: &Issue) -> Option<&str> {
    issue
        .body
        .lines()
        .find_map(|line| line.strip_prefix("Code: "))
}

/// Checks everything but the labels of an issue that stays open without a comment.
fn check_labelled(task: &mut Verifier, issue: &Issue) {
    let rest = otherwise(task, issue, |it, before| {
        it.labels.clone_from(&before.labels)
    });
    task.check(format!("#{} is otherwise as it was", issue.number), rest);
}

fn check_duplicate(task: &mut Verifier, issue: &Issue, repeated: &Issue, all: &[Issue]) {
    let (number, of) = (issue.number, repeated.number);
    let viewer = task.viewer();
    let closed = task.end().issue(number).satisfies(|it| {
        let found = (
            it.state.as_str(),
            it.state_reason.as_deref(),
            it.duplicate_of,
        );
        let by = Condition::equal(&Some(viewer.as_str()), &it.closed_by.as_deref());
        Condition::equal(&("closed", Some("duplicate"), Some(of)), &found).and(by)
    });
    task.check(
        format!("#{number} is closed as a duplicate of #{of}"),
        closed,
    );
    let code = code(repeated).expect("what is repeated has a code");
    let same = all
        .iter()
        .filter(|it| self::code(it) == Some(code) && it.number != of);
    let beside: Vec<u64> = same.map(|it| it.number).collect();
    let comment = new_comment(task, issue);
    let says = answer::repeats(&comment, of, code, &beside);
    task.check(format!("the comment on #{number} names #{of}"), says);
    let rest = otherwise(task, issue, |it, before| {
        it.labels.clone_from(&before.labels);
        it.comments.clone_from(&before.comments);
        it.state.clone_from(&before.state);
        it.state_reason.clone_from(&before.state_reason);
        it.closed_by.clone_from(&before.closed_by);
        it.duplicate_of = before.duplicate_of;
    });
    task.check(format!("#{number} is otherwise as it was"), rest);
}

fn check_answered(task: &mut Verifier, all: &[Issue], issue: &Issue, title: &str, theirs: &str) {
    let number = issue.number;
    let code = code(issue).expect("it has a code");
    let related = all.iter().filter(|it| self::code(it) == Some(code));
    let related: Vec<u64> = related.map(|it| it.number).collect();
    let mended = mended(task, title, theirs, code, related);
    let comment = new_comment(task, issue);
    for (name, condition) in answer::answer(&comment, &mended) {
        task.check(format!("the answer on #{number}: {name}"), condition);
    }
    let rest = otherwise(task, issue, |it, before| {
        it.labels.clone_from(&before.labels);
        it.comments.clone_from(&before.comments);
    });
    task.check(format!("#{number} is otherwise as it was"), rest);
}

/// What history says of the pull request with this title.
fn mended(task: &Verifier, title: &str, theirs: &str, code: &str, related: Vec<u64>) -> Mended {
    let repository = task.start().repository();
    let pulls = task.start().pulls().required();
    let is_it = |it: &&Pull| it.issue.title == title && it.merged_at.is_some();
    let pull = pulls.iter().find(is_it).expect("it was merged");
    let commit = pull.merge_commit_sha.as_deref().expect("it was merged");
    let commit = repository.commit(commit).required();
    let has_it = |tag: &str| {
        let tip = repository.tag(tag).required();
        let base = repository.merge_base(&tip, &commit);
        base.get().is_ok_and(|base| base.id() == commit.id())
    };
    let mut tags = repository.tags().required();
    tags.sort_by_key(|tag| version(tag));
    let first = tags
        .iter()
        .find(|tag| has_it(tag))
        .expect("it was released");
    let their_line = theirs.rsplit_once('.').map_or(theirs, |(line, _)| line);
    let log = repository.log(&format!("release/{their_line}")).required();
    let is_on_line = log
        .iter()
        .any(|it| it.message().contains(commit.id()) || it.id() == commit.id());
    assert!(!is_on_line, "the line of the reporter has it");
    let releases = task.start().file("releases.json").json().required();
    let releases = releases.as_array().cloned().unwrap_or_default();
    let released = releases.iter().find(|it| it["tag_name"] == first.as_str());
    let released = released.and_then(|it| it["published_at"].as_str());
    let (least, most) = (version(their_line), version(first));
    let older = tags
        .iter()
        .filter(|tag| (&least..&most).contains(&&version(tag)));
    let days = [pull.merged_at.as_deref(), released];
    Mended {
        pull: pull.issue.number,
        commit: commit.id().to_owned(),
        release: first.trim_start_matches('v').to_owned(),
        theirs: theirs.to_owned(),
        older: older
            .map(|tag| tag.trim_start_matches('v').to_owned())
            .collect(),
        code: code.to_owned(),
        related,
        days: days.into_iter().flatten().map(day).collect(),
    }
}

fn version(tag: &str) -> Vec<u64> {
    let parts = tag.trim_start_matches('v').split('.');
    parts
        .map(|part| part.parse().expect("tags are versions"))
        .collect()
}

fn day(time: &str) -> Date {
    time[..10].parse().expect("times begin with their day")
}

/// The text of the only comment that is new, by the viewer.
fn new_comment(task: &Verifier, issue: &Issue) -> Found<String> {
    let viewer = task.viewer();
    task.end().issue(issue.number).try_map(|found| {
        let old = issue.comments.len();
        if found.comments.get(..old) != Some(issue.comments.as_slice()) {
            return Err("expected the earlier comments as they were".to_owned());
        }
        match &found.comments[old..] {
            [Comment { user, body }] if *user == viewer => Ok(body.clone()),
            [] => Err("there is no new comment".to_owned()),
            [other] => Err(format!(
                "expected a comment by {viewer}, found one by {}",
                other.user
            )),
            more => Err(format!("expected one new comment, found {}", more.len())),
        }
    })
}

/// Whether an issue is as it was, apart from the fields that `undo` sets back.
fn otherwise(task: &Verifier, before: &Issue, undo: impl Fn(&mut Issue, &Issue)) -> Condition {
    let found = task.end().issue(before.number).map(|found| {
        let mut found = found.clone();
        undo(&mut found, before);
        found
    });
    found.is_like(before)
}
