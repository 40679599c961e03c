//! The revert that is expected, made again from the starting world.

#[path = "../carry.rs"]
mod carry;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Issue, Proposal, Pull, Repository};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "revert-halves";
const ISSUE: &str = "Half a minute is rounded down since 3.4.0";
const ROUND: &str = "lib/fortnight/round.rb";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let (commit, parent) = culprit(&repository);
    let pulls = task.start().pulls().required();
    let bad = pulls
        .iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(commit.id()));
    let bad: &Pull = bad.expect("it came by a pull request");
    let number = bad.issue.number;

    let title = format!("Revert \"{}\"", bad.issue.title);
    let message = format!("{title}\n\nThis reverts commit {}.", commit.id());
    let changes = commit.changes().required();
    let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
    assert!(paths.len() > 2, "there is too little to take back");
    let tip = task.check_one_commit((BRANCH, "main"), &message, &paths);
    let mut is_touched_since = false;
    for path in paths {
        let text = |commit: &Commit| commit.file(path).text().required();
        let (before, after, now) = (text(&parent), text(&commit), text(&main));
        is_touched_since |= now != after;
        let expected = carry::carried(&now, &after, &before);
        task.check(
            format!("{path} without it"),
            tip.file(path).equals(&expected),
        );
    }
    assert!(is_touched_since, "nothing was done since");

    let mut halves = issue(task, |it| it.title == ISSUE);
    let reviewers = [bad.issue.user.clone(), merger(task, number)];
    let own = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: &title,
        body: &format!(
            "Fixes #{}\n\nReverts #{number}, which came with 3.4.0.",
            halves.number
        ),
        reviewers: &reviewers.each_ref().map(String::as_str),
    });
    let own = own.get().map(|it| it.issue.number).unwrap_or_default();
    let user = task.viewer();
    let said = |body: String| Comment {
        user: user.clone(),
        body,
    };

    let mut told = bad.clone();
    let words = format!("Taken back in #{own}.");
    told.issue.comments.push(said(words));
    task.check(
        "the pull request that did it is told",
        task.end().pull(number).is(told),
    );

    let closed = bad.closes[0];
    let mut open = issue(task, |it| it.number == closed);
    let words = format!("Open again, because #{number} is taken back in #{own}.");
    open.comments.push(said(words));
    let found = task.end().issue(closed);
    task.check("what it closed is open again", found.is_open());
    if let Ok(found) = found.get() {
        open.state.clone_from(&found.state);
        open.state_reason.clone_from(&found.state_reason);
        open.closed_by.clone_from(&found.closed_by);
    }
    task.check("what it closed is told why", found.is_like(&open));

    halves.labels.push("regression".to_owned());
    halves.assignees = vec![bad.issue.user.clone()];
    task.check(
        "the issue is a regression of its author",
        task.end().issue(halves.number).is_like(&halves),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![number, closed, halves.number],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn issue(task: &Verifier, fits: impl Fn(&Issue) -> bool) -> Issue {
    let issues = task.start().issues().required();
    let issue = issues.into_iter().find(|it| fits(it));
    issue.expect("the issue is in this world")
}

/// The commit with which a half goes down, and the one before it.
fn culprit(repository: &Repository) -> (Commit, Commit) {
    let goes_up = |commit: &Commit| {
        let text = commit.file(ROUND).text().required();
        text.contains("rest * 2 >= size")
    };
    let log = repository.log_of("main", ROUND).required();
    log.into_iter()
        .filter(|commit| commit.parents().len() == 1)
        .find_map(|commit| {
            let parent = repository.commit(&commit.parents()[0]).required();
            let is_it = !goes_up(&commit) && goes_up(&parent);
            is_it.then_some((commit, parent))
        })
        .expect("a commit did it")
}

fn merger(task: &Verifier, number: u64) -> String {
    let pulls = task.start().file("pulls.json").json().required();
    let pulls = pulls.as_array().into_iter().flatten();
    let merged = pulls
        .filter(|it| it["number"] == number)
        .find_map(|it| it["merged_by"].as_str().map(str::to_owned));
    merged.expect("somebody merged it")
}
