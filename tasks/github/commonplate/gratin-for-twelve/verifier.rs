//! The work made again: the commits of the old branch on the files of main.

use mcpmark_guest::github::{Allowed, Comment, Commit, GitChange, Proposal, Pull};
use mcpmark_guest::{Found, Verifier};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "gratin-for-twelve-2";
const TITLE: &str = "Potato gratin for twelve";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let pulls = task.start().pulls();
    let old = pulls.one("the old pull request", |it| it.issue.title == TITLE);
    let old = old.required();
    let branch = repository.branch(&old.head).required();
    let base = repository.merge_base(&branch, &main).required();
    let mut wanted = repository.log_since(&old.head, &base).required();
    wanted.reverse();
    assert!(wanted.len() > 1, "there is nothing to make again");

    let commits = task.added(BRANCH, "main");
    task.check("as many commits as before", commits.count_is(wanted.len()));
    task.check(
        "they stand on main in a line",
        commits.are_straight_on(&main),
    );
    let path = only_path(&wanted[0]);
    let mut text = main.file(&path).text().required();
    for (at, commit) in wanted.iter().enumerate() {
        let again = commits.nth(at);
        text = made_again(
            &text,
            &repository.commit(&format!("{}~1", commit.id())),
            commit,
            &path,
        );
        let number = at + 1;
        task.check(
            format!("the message of commit {number}"),
            again.message_is(commit.message().trim_end()),
        );
        task.check(
            format!("commit {number} changes one file"),
            again.changed_only([&path]),
        );
        task.check(
            format!("{path} after commit {number}"),
            again.file(&path).equals(&text),
        );
    }

    let number = old.issue.number;
    let culprit = culprit(task, &base, &main, &path);
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("{}\n\nTakes the place of #{number}.", old.issue.body),
        reviewers: &[&old.issue.user, &culprit],
    });
    let viewer = task.viewer();
    let mut closed = old.clone();
    closed.issue.state = "closed".to_owned();
    closed.issue.closed_by = Some(viewer.clone());
    closed
        .issue
        .comments
        .extend(pull.get().ok().map(|it| Comment {
            user: viewer,
            body: format!("#{} takes the place of this.", it.issue.number),
        }));
    let found = task.end().pull(number);
    task.check(
        "the old one is closed with a comment",
        pull.exists().and(found.is(closed)),
    );
    let issue = old.closes[0];
    let mut assigned = task.start().issue(issue).required();
    assigned.assignees = vec![old.issue.user.clone()];
    task.check(
        "the issue is assigned to the author",
        task.end().issue(issue).is_like(&assigned),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![number, issue],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn only_path(commit: &Commit) -> String {
    let changes: Vec<GitChange> = commit.changes().required();
    assert_eq!(changes.len(), 1, "the old commits change one file each");
    changes[0].path.clone()
}

/// The text with the lines that a commit replaced.
fn made_again(text: &str, parent: &Found<Commit>, commit: &Commit, path: &str) -> String {
    let before = parent.file(path).text().required();
    let after = commit.file(path).text().required();
    assert_eq!(before.lines().count(), after.lines().count());
    let mut lines: Vec<&str> = text.lines().collect();
    for (old, new) in before
        .lines()
        .zip(after.lines())
        .filter(|(old, new)| old != new)
    {
        let key = old.split_once(": ").map(|(key, _)| format!("{key}: "));
        let exact = lines.iter().position(|line| *line == old);
        let at = exact.or_else(|| {
            let key = key.as_ref()?;
            lines.iter().position(|line| line.starts_with(key.as_str()))
        });
        lines[at.expect("the line has its place")] = new;
    }
    lines.join("\n") + "\n"
}

/// Who merged what changed the same line on main.
fn culprit(task: &Verifier, base: &Commit, main: &Commit, path: &str) -> String {
    let serves = |commit: &Commit| {
        let text = commit.file(path).text().required();
        let line = text.lines().find(|line| line.starts_with("serves: "));
        line.unwrap_or_default().to_owned()
    };
    assert_ne!(serves(base), serves(main), "there is no conflict");
    let repository = task.start().repository();
    let pulls: Vec<Pull> = task.start().pulls().required();
    let made = pulls.iter().find(|pull| {
        let Some(id) = &pull.merge_commit_sha else {
            return false;
        };
        let commit = repository.commit(id).required();
        let parent = repository.commit(&commit.parents()[0]).required();
        let has = |commit: &Commit| commit.file(path).exists().passed();
        has(&parent)
            && has(&commit)
            && serves(&parent) == serves(base)
            && serves(&commit) != serves(base)
    });
    let number = made.expect("a pull request made it").issue.number;
    let pulls = task.start().file("pulls.json").json().required();
    let pulls = pulls.as_array().into_iter().flatten();
    let merged = pulls
        .filter(|it| it["number"] == number)
        .find_map(|it| it["merged_by"].as_str());
    merged.expect("somebody merged it").to_owned()
}
