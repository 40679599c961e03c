//! The release, made again from the starting world: each fix is found on main and made on the branch.

mod transplant;

use mcpmark_guest::github::{Allowed, Comment, Commit, Proposal, Repository};
use mcpmark_guest::{Found, Verifier};

mcpmark_guest::verifier!(verify);

const BASE: &str = "release/2.1";
const BRANCH: &str = "backport/2.1.3";
const VERSION: &str = "sluice/__init__.py";
const CHANGELOG: &str = "CHANGELOG.md";

fn verify(task: &mut Verifier) {
    let start = task.start().repository();
    let fixes = waiting(task);
    assert!(
        fixes.len() > 1,
        "there is nothing to backport in this world"
    );
    let base = start.branch(BASE).required();
    let commits = task.added(BRANCH, BASE);
    task.check(
        "a commit for each fix and one for the release",
        commits.count_is(fixes.len() + 1),
    );
    task.check(
        "they stand in a line on the release branch",
        commits.are_straight_on(&base),
    );
    for (at, fix) in fixes.iter().enumerate() {
        let (commit, number) = (commits.nth(at), fix.number);
        let message = format!(
            "{}\n\n(cherry picked from commit {})",
            fix.commit.message().trim_end(),
            fix.commit.id()
        );
        task.check(
            format!("the message of #{number}"),
            commit.message_is(&message),
        );
        let files = expected_files(&start, &base, &fix.commit);
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        task.check(
            format!("the files of #{number}"),
            commit.changed_only(&paths),
        );
        for (path, text) in &files {
            task.check(
                format!("{path} after #{number}"),
                commit.file(path).equals(text),
            );
        }
    }
    check_release(task, &commits.nth(fixes.len()), &base, &fixes);
    let pull = check_pull(task, &fixes);
    for fix in &fixes {
        let before = task.start().pull(fix.number).required();
        let mut expected = before.clone();
        expected.issue.comments.push(Comment {
            user: task.viewer(),
            body: format!("Backported in #{}.", pull.unwrap_or_default()),
        });
        let found = task.end().pull(fix.number);
        task.check(
            format!("#{} has one more comment", fix.number),
            found.is(expected),
        );
    }
    task.nothing_else_moved(&Allowed {
        touched: fixes.iter().map(|fix| fix.number).collect(),
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

struct Fix {
    number: u64,
    title: String,
    commit: Commit,
}

/// The fixes that are not on the release branch, in the order in which they were merged.
fn waiting(task: &Verifier) -> Vec<Fix> {
    let repository = task.start().repository();
    let log = repository.log(BASE).required();
    let pulls = task.start().pulls().required();
    let mut fixes: Vec<(&str, Fix)> = Vec::new();
    for pull in &pulls {
        let (Some(at), Some(id)) = (&pull.merged_at, &pull.merge_commit_sha) else {
            continue;
        };
        let trailer = format!("(cherry picked from commit {id})");
        let is_there = log.iter().any(|it| it.message().contains(&trailer));
        let is_wanted = pull
            .issue
            .labels
            .iter()
            .any(|label| label == "backport 2.1");
        if is_wanted && !is_there && pull.base == "main" {
            let fix = Fix {
                number: pull.issue.number,
                title: pull.issue.title.clone(),
                commit: repository.commit(id).required(),
            };
            fixes.push((at, fix));
        }
    }
    fixes.sort_by(|one, other| one.0.cmp(other.0));
    fixes.into_iter().map(|(_, fix)| fix).collect()
}

/// The files of a fix as they are to be on the release branch.
fn expected_files(repository: &Repository, base: &Commit, fix: &Commit) -> Vec<(String, String)> {
    let parent = fix.parents().first().expect("a fix has a parent");
    let parent = repository.commit(parent).required();
    let mut files = Vec::new();
    for change in fix.changes().required() {
        let Some(path) = path_on(repository, base, &change.path) else {
            continue;
        };
        let text = |commit: &Commit, path: &str| commit.file(path).text().required();
        let (old, new) = (text(&parent, &change.path), text(fix, &change.path));
        let there = text(base, &path);
        files.push((path, transplant::transplant(&old, &new, &there)));
    }
    files.sort();
    files
}

/// Where the release branch has a file of main, through renames.
fn path_on(repository: &Repository, base: &Commit, path: &str) -> Option<String> {
    if base.file(path).exists().passed() {
        return Some(path.to_owned());
    }
    let log = repository.log_of("main", path).required();
    let renamed = log.iter().find_map(|commit| {
        let changes = commit.changes().required();
        let change = changes.into_iter().find(|it| it.path == path)?;
        change.previous
    })?;
    base.file(&renamed).exists().passed().then_some(renamed)
}

fn check_release(task: &mut Verifier, commit: &Found<Commit>, base: &Commit, fixes: &[Fix]) {
    task.check(
        "the message of the release",
        commit.message_is("Release 2.1.3"),
    );
    task.check(
        "the files of the release",
        commit.changed_only([VERSION, CHANGELOG]),
    );
    let version = base.file(VERSION).text().required();
    let version = version.replace("\"2.1.2\"", "\"2.1.3\"");
    task.check("the number", commit.file(VERSION).equals(&version));
    let entries: String = fixes
        .iter()
        .map(|fix| format!("- {} (#{})\n", fix.title, fix.number))
        .collect();
    let log = base.file(CHANGELOG).text().required();
    let (head, rest) = log.split_once("## ").expect("the change log has sections");
    let log = format!("{head}## 2.1.3 - 2025-03-03\n\n### Fixed\n\n{entries}\n## {rest}");
    task.check("the change log", commit.file(CHANGELOG).equals(&log));
}

/// Adds checks of the new pull request, and gives its number.
fn check_pull(task: &mut Verifier, fixes: &[Fix]) -> Option<u64> {
    let numbers: Vec<String> = fixes.iter().map(|fix| format!("#{}", fix.number)).collect();
    let (last, first) = numbers.split_last().expect("there are fixes");
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: BASE,
        title: "Release 2.1.3",
        body: &format!("Backports {} and {last}.", first.join(", ")),
        reviewers: &["icalder"],
    });
    pull.get().ok().map(|it| it.issue.number)
}
