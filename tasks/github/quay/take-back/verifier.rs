//! Checks that the change that the incident names is taken back, line by line, in the files of main today.

mod facts;
#[path = "../../links.rs"]
mod links;

use mcpmark_guest::github::{Allowed, Commit, Issue, Pull};
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Person};
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Found, Verifier};

use crate::facts::{Story, conditions};
use crate::links::links_agree;

mcpmark_guest::verifier!(verify);

const TITLE: &str = "The page of arrivals was gone";
/// Keeper of the machines with the role `web`, by `docs/incidents.md`.
const KEEPER: &str = "bokafor";
/// The pull request that has changed the same file since.
const SINCE: u64 = 298;
/// Labels that earlier changes of this kind have.
const LABELS: [&str; 2] = ["fix", "settings"];
/// Label of what a change caused, which `docs/incidents.md` gives to the incident.
const CAUSED: &str = "caused by change";

fn verify(task: &mut Verifier) {
    let start = task.start();
    let main = start.repository().branch("main").required();
    let issues = start.issues();
    let issue = issues
        .one("the incident", |it| it.title.ends_with(TITLE))
        .required();
    let (cause, commit) = cause(task, &issue);
    let (path, before, after) = undone(task, &main, &commit);

    let pull = task.new_pull();
    let head = pull.get().map(|it| it.head.clone()).unwrap_or_default();
    let is_new = !start.repository().branch(&head).exists().passed();
    task.check(
        "the pull request goes from a new branch into main",
        pull.goes(&head, "main")
            .and(pull.is_open())
            .and(Condition::when(
                is_new && !head.is_empty(),
                "expected a branch that was not there",
            )),
    );
    let tip = match pull.get() {
        Ok(pull) => task.repository().branch(&pull.head),
        Err(reason) => Found::new("the branch", Err(reason)),
    };
    let added = task.added(&head, "main");
    task.check(
        "its commits begin at main",
        tip.satisfies(|_| added.are_straight_on(&main)),
    );
    task.check("the change is undone", tip.file(&path).equals(&after));
    task.check(
        "nothing else differs from main",
        tip.try_map(|tip| {
            let changes = tip.changes_since(&main);
            let paths = changes.get()?.iter().map(|it| it.path.clone());
            Ok(paths.collect::<Vec<String>>())
        })
        .equal(&[path.as_str()]),
    );
    assert!(before != after, "main has the change");
    let words = format!("This reverts commit {}", commit.id());
    task.check(
        "a commit says which one it takes back",
        added.satisfies(|added| {
            let says = |it: &Commit| {
                let message: Vec<&str> = it.message().split_whitespace().collect();
                message.join(" ").contains(&words)
            };
            Condition::when(
                added.iter().any(says),
                format!("expected a commit that says {words:?}"),
            )
        }),
    );
    task.check(
        "who keeps the machines is asked for a review",
        pull.map(|it| it.requested_reviewers.clone())
            .equal_in_any_order(&[KEEPER.to_owned()]),
    );
    check_pull(task, &pull, &issue, (&cause, &commit));

    let own = pull.get().map(|it| it.issue.number).unwrap_or_default();
    let story = story(task, (&issue, &cause, &commit), own);
    let comment = said(task, &issue);
    for (name, condition) in conditions(&story, &comment) {
        task.check(format!("the comment: {name}"), condition);
    }
    check_incident(task, &issue, &cause);
    let branches: &[&str] = if is_new && !head.is_empty() {
        &[&head]
    } else {
        &[]
    };
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        new_pulls: 1,
        branches,
        ..Allowed::default()
    });
}

/// Checks what the pull request says beside its commits.
fn check_pull(
    task: &mut Verifier,
    pull: &Found<Pull>,
    issue: &Issue,
    (cause, commit): (&Pull, &Commit),
) {
    let plain = pull.map(|it| {
        let mut it = it.clone();
        let labels = &mut it.issue.labels;
        labels.retain(|label| !LABELS.contains(&label.as_str()));
        it
    });
    // The incident is closed when the change is taken back, so its merge may do that.
    let closes = pull.satisfies(|it| {
        Condition::when(
            it.closes.iter().all(|it| *it == issue.number),
            format!("expected it to close no other issue than #{}", issue.number),
        )
    });
    task.check(
        "nothing else is said of the pull request",
        plain.is_only_proposed().and(closes),
    );
    let related = [
        Fact::reference(issue.number),
        Fact::reference(cause.issue.number),
        Fact::commit(commit.id()),
        // A reviewer wants to know what stays of the file.
        Fact::reference(SINCE),
    ];
    let related: Vec<&Fact> = related.iter().collect();
    task.check(
        "its text refers to nothing else",
        pull.body()
            .prose()
            .references_are_among(&related)
            .and(links_agree(&pull.body())),
    );
}

/// Checks that the incident is not taken for settled. What holds of it today may be set.
fn check_incident(task: &mut Verifier, issue: &Issue, cause: &Pull) {
    let now = task.end().issue(issue.number);
    task.check("the incident is still open", now.is_open());
    let author = &cause.issue.user;
    let others = now.map(|now| {
        let mut now = now.clone();
        now.comments.truncate(issue.comments.len());
        now.labels.retain(|label| label != CAUSED);
        now.assignees.retain(|login| login != author);
        now.state.clone_from(&issue.state);
        now.state_reason.clone_from(&issue.state_reason);
        now.closed_by.clone_from(&issue.closed_by);
        now
    });
    let count = now.comments().count_is(issue.comments.len() + 1);
    task.check(
        "the incident has one more comment and is otherwise as it was",
        others.is_like(issue).and(count),
    );
}

/// The text of the comment that the agent added to the incident.
fn said(task: &Verifier, issue: &Issue) -> Found<String> {
    let new = task.end().issue(issue.number).comments().map(|comments| {
        let before = issue.comments.len().min(comments.len());
        comments[before..].to_vec()
    });
    new.text_by(&task.viewer())
}

/// The pull request and the commit that the incident names.
fn cause(task: &Verifier, issue: &Issue) -> (Pull, Commit) {
    let id = line(issue, "Change: ").expect("it names a change");
    let commit = task.start().repository().commit(id).required();
    let pulls = task.start().pulls().required();
    let cause = pulls
        .into_iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(id));
    (cause.expect("a pull request brought it"), commit)
}

/// The only file that the change touched, as main has it and as it is without the change.
fn undone(task: &Verifier, main: &Commit, commit: &Commit) -> (String, String, String) {
    let parent = commit.parents().first().expect("it has a parent");
    let parent = task.start().repository().commit(parent).required();
    let changes = commit.changes_since(&parent).required();
    let [change] = changes.as_slice() else {
        panic!("it changed {} files", changes.len())
    };
    let (old, new) = (
        parent.file(&change.path).text().required(),
        commit.file(&change.path).text().required(),
    );
    let before = main.file(&change.path).text().required();
    let mut after = before.clone();
    assert_eq!(
        old.lines().count(),
        new.lines().count(),
        "lines are replaced"
    );
    for (old, new) in old.lines().zip(new.lines()).filter(|(old, new)| old != new) {
        after = after.replacen(&format!("{new}\n"), &format!("{old}\n"), 1);
    }
    assert!(
        parent.file(&change.path).text().required() != after,
        "somebody changed the file since"
    );
    (change.path.clone(), before, after)
}

fn story(task: &Verifier, (issue, cause, commit): (&Issue, &Pull, &Commit), own: u64) -> Story {
    let issues = task.start().file("issues.json").json().required();
    let mut records = issues.as_array().into_iter().flatten();
    let record = records.find(|it| it["number"] == issue.number);
    let reported = record.and_then(|it| it["created_at"].as_str());
    let days = [reported, cause.merged_at.as_deref()].into_iter().flatten();
    let minutes = line(issue, "Stood still for ").and_then(|it| it.split(' ').next());
    let users = task.start().file("users.json").json().required();
    let users = users.as_array().into_iter().flatten();
    let people = users.filter_map(|it: &Value| {
        let (login, name) = (it["login"].as_str()?, it["name"].as_str()?);
        (it["type"] == "User").then(|| Person::new(name).handle(login))
    });
    Story {
        incident: issue.number,
        cause: cause.issue.number,
        title: cause.issue.title.clone(),
        commit: commit.id().to_owned(),
        own,
        minutes: minutes
            .and_then(|it| it.parse().ok())
            .expect("it says how long"),
        days: days
            .filter_map(|it| it.get(..10)?.parse::<Date>().ok())
            .collect(),
        people: people.collect(),
    }
}

fn line<'a>(issue: &'a Issue, begin: &str) -> Option<&'a str> {
    issue.body.lines().find_map(|line| line.strip_prefix(begin))
}
