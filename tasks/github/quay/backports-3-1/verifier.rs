//! The backports, made again from the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, GitChangeKind, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BASE: &str = "release/3.1";
const BRANCH: &str = "backports-3.1";
const LABEL: &str = "backport 3.1";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let base = repository.branch(BASE).required();
    let pulls = task.start().pulls().required();
    let log = repository.log("main").required();
    let (mut fixes, mut undone) = (Vec::new(), Vec::new());
    for pull in waiting(task, &pulls) {
        let id = pull.merge_commit_sha.as_deref().unwrap_or_default();
        let words = format!("This reverts commit {id}.");
        match log.iter().find(|it| it.message().contains(&words)) {
            Some(revert) => undone.push((pull, by_commit(&pulls, revert))),
            None => fixes.push((pull, repository.commit(id).required())),
        }
    }
    fixes.sort_by(|one, other| one.0.merged_at.cmp(&other.0.merged_at));
    assert!(
        fixes.len() > 1 && !undone.is_empty(),
        "there is nothing to decide"
    );

    let commits = task.added(BRANCH, BASE);
    task.check("a commit for each fix", commits.count_is(fixes.len()));
    task.check(
        "they stand on the release branch",
        commits.are_straight_on(&base),
    );
    let mut files: Vec<(String, String)> = Vec::new();
    for (at, (pull, fix)) in fixes.iter().enumerate() {
        let number = pull.issue.number;
        let commit = commits.nth(at);
        let message = format!(
            "{}\n\n(cherry picked from commit {})",
            fix.message().trim_end(),
            fix.id()
        );
        task.check(
            format!("the message of #{number}"),
            commit.message_is(&message),
        );
        let parent = repository.commit(&fix.parents()[0]).required();
        let mut paths = Vec::new();
        for change in fix.changes().required() {
            assert_eq!(
                change.kind,
                GitChangeKind::Modified,
                "fixes change what is there"
            );
            let path = change.path;
            let now = match files.iter().find(|(it, _)| *it == path) {
                Some((_, text)) => text.clone(),
                None => base.file(&path).text().required(),
            };
            let text = |commit: &Commit| commit.file(&path).text().required();
            let expected = carried(&now, &text(&parent), &text(fix));
            task.check(
                format!("{path} after #{number}"),
                commit.file(&path).equals(&expected),
            );
            files.retain(|(it, _)| *it != path);
            files.push((path.clone(), expected));
            paths.push(path);
        }
        task.check(
            format!("the files of #{number}"),
            commit.changed_only(&paths),
        );
    }

    let lines: Vec<String> = fixes
        .iter()
        .map(|(pull, _)| format!("- {} (#{})", pull.issue.title, pull.issue.number))
        .collect();
    let own = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: BASE,
        title: "Backports to 3.1",
        body: &lines.join("\n"),
        reviewers: &["asolheim"],
    });
    let own = own.get().map(|it| it.issue.number).unwrap_or_default();
    let mut touched = Vec::new();
    for (pull, _) in &fixes {
        let said = format!("On its way to 3.1 in #{own}.");
        touched.push(check_told(task, (*pull).clone(), said));
    }
    for (pull, by) in undone {
        let mut expected = pull.clone();
        expected.issue.labels.retain(|label| label != LABEL);
        touched.push(check_told(
            task,
            expected,
            format!("Not for 3.1: taken back by #{by}."),
        ));
    }
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn check_told(task: &mut Verifier, mut expected: Pull, said: String) -> u64 {
    let number = expected.issue.number;
    let comment = Comment {
        user: task.viewer(),
        body: said,
    };
    expected.issue.comments.push(comment);
    let found = task.end().pull(number);
    task.check(format!("#{number} is told"), found.is(expected));
    number
}

/// What was merged for the release branch and is not there.
fn waiting<'a>(task: &Verifier, pulls: &'a [Pull]) -> Vec<&'a Pull> {
    let there = task.start().repository().log(BASE).required();
    let is_waiting = |pull: &&Pull| {
        let Some(id) = &pull.merge_commit_sha else {
            return false;
        };
        let words = format!("(cherry picked from commit {id})");
        pull.base == "main"
            && pull.issue.labels.iter().any(|label| label == LABEL)
            && there.iter().all(|it| !it.message().contains(&words))
    };
    pulls.iter().filter(is_waiting).collect()
}

fn by_commit(pulls: &[Pull], commit: &Commit) -> u64 {
    let mut pulls = pulls.iter();
    let pull = pulls.find(|it| it.merge_commit_sha.as_deref() == Some(commit.id()));
    pull.expect("a pull request took it back").issue.number
}

/// The text with what changed between two others: lines in one place, below the same line.
fn carried(now: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old
        .iter()
        .zip(&new)
        .take_while(|(one, other)| one == other)
        .count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let (out, into) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<&str> = now.lines().collect();
    let at = match out.first() {
        Some(first) => lines.iter().position(|line| line == first),
        None => lines
            .iter()
            .position(|line| *line == old[head - 1])
            .map(|at| at + 1),
    };
    let at = at.expect("the change has its place");
    assert!(lines[at..].starts_with(out), "the change has its place");
    lines.splice(at..at + out.len(), into.iter().copied());
    lines.join("\n") + "\n"
}
