//! The damage, found again in the repository of the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, GitChangeKind, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "warm-ovens";
const TITLE: &str = "Give the ovens their heat back";
const ISSUE: &str = "Everything from the oven is pale";

/// A recipe and its oven before and after the commit.
struct Lowered {
    path: String,
    before: u32,
    after: u32,
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let (damage, commit, lowered) = damage(task);
    let mended: Vec<&Lowered> = lowered
        .iter()
        .filter(|it| oven(&main, &it.path) == Some(it.after))
        .collect();
    assert!(
        mended.len() > 3 && mended.len() < lowered.len(),
        "there is nothing to decide in this world"
    );
    let paths: Vec<&str> = mended.iter().map(|it| it.path.as_str()).collect();
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, &paths);
    for it in &mended {
        let text = main.file(&it.path).text().required();
        let expected = text.replacen(
            &format!("\noven: {}\n", it.after),
            &format!("\noven: {}\n", it.before),
            1,
        );
        task.check(it.path.clone(), tip.file(&it.path).equals(&expected));
    }

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world").number;
    let number = damage.issue.number;
    let id: String = commit.id().chars().take(10).collect();
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Fixes #{issue}\n\nUndoes a part of #{number} ({id})."),
        reviewers: &[&damage.issue.user],
    });
    let mut expected = damage.clone();
    expected
        .issue
        .comments
        .extend(pull.get().ok().map(|pull| Comment {
            user: task.viewer(),
            body: format!("The ovens are set right in #{}.", pull.issue.number),
        }));
    let found = task.end().pull(number);
    task.check(
        format!("#{number} has one more comment"),
        pull.exists().and(found.is(expected)),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![number],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The pull request that lowered the most, with its commit.
fn damage(task: &Verifier) -> (Pull, Commit, Vec<Lowered>) {
    let repository = task.start().repository();
    let pulls = task.start().pulls().required();
    let found = pulls.into_iter().filter_map(|pull| {
        let commit = repository
            .commit(pull.merge_commit_sha.as_ref()?)
            .required();
        let lowered = lowered(task, &commit);
        Some((pull, commit, lowered))
    });
    found
        .max_by_key(|(_, _, lowered)| lowered.len())
        .expect("there are pull requests")
}

fn lowered(task: &Verifier, commit: &Commit) -> Vec<Lowered> {
    let Some(parent) = commit.parents().first() else {
        return Vec::new();
    };
    let parent = task.start().repository().commit(parent).required();
    let changes = commit.changes().required();
    let modified = changes.into_iter().filter(|change| {
        change.kind == GitChangeKind::Modified && change.path.starts_with("recipes/")
    });
    modified
        .filter_map(|change| {
            let before = oven(&parent, &change.path)?;
            let after = oven(commit, &change.path)?;
            (after < before).then_some(Lowered {
                path: change.path,
                before,
                after,
            })
        })
        .collect()
}

/// The oven of a recipe at a commit.
fn oven(commit: &Commit, path: &str) -> Option<u32> {
    let text = commit.file(path).text();
    let text = text.get().ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("oven: "));
    line?.parse().ok()
}
