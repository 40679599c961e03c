//! The answers, found again in the repository of the starting world.

use std::collections::BTreeMap;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, GitChangeKind, Issue};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "requests";
const FILE: &str = "docs/requests.md";

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let now = titles(&main);
    let brought = brought(task);
    let issues = task.start().issues().required();
    let viewer = task.viewer();
    let mut touched = Vec::new();
    let mut list =
        String::from("# What people asked for\n\n| Request | Wanted | Answer |\n|---|---|---|\n");
    let is_request = |issue: &&Issue| {
        issue.state == "open" && issue.labels.iter().any(|label| label == "request")
    };
    for issue in issues.iter().filter(is_request) {
        let number = issue.number;
        let words = issue.title.strip_prefix("Request: ").unwrap_or_default();
        let wanted = words.to_lowercase();
        let Some(path) = now.get(&wanted) else {
            list.push_str(&format!("| #{number} | {words} | - |\n"));
            continue;
        };
        let pull = brought[&wanted];
        list.push_str(&format!("| #{number} | {words} | #{pull}, {path} |\n"));
        let mut expected = issue.clone();
        expected.state = "closed".to_owned();
        expected.state_reason = Some("completed".to_owned());
        expected.closed_by = Some(viewer.clone());
        expected.comments.push(Comment {
            user: viewer.clone(),
            body: format!("In the book since #{pull}: {path}"),
        });
        let found = task.end().issue(number);
        task.check(
            format!("#{number} is closed as completed"),
            found.is_closed_as("completed"),
        );
        task.check(
            format!("the comments of #{number}"),
            found
                .map(|it| it.comments.clone())
                .is(expected.comments.clone()),
        );
        task.check(
            format!("#{number} is as it should be"),
            found.is_like(&expected),
        );
        touched.push(number);
    }
    assert!(touched.len() > 5, "there is too little to do in this world");
    let message = "docs: what people asked for";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    task.check("the list", tip.file(FILE).equals(&list));
    task.nothing_else_moved(&Allowed {
        touched,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The paths of recipes by their titles in small letters.
fn titles(commit: &Commit) -> BTreeMap<String, String> {
    let paths = commit.files("recipes").required();
    let titled = paths.into_iter().map(|path| (title(commit, &path), path));
    titled.collect()
}

fn title(commit: &Commit, path: &str) -> String {
    let text = commit.file(path).text().required();
    let line = text.lines().find_map(|line| line.strip_prefix("title: "));
    line.expect("each recipe has a title").to_lowercase()
}

/// The numbers of the pull requests that added recipes, by title.
fn brought(task: &Verifier) -> BTreeMap<String, u64> {
    let repository = task.start().repository();
    let mut brought = BTreeMap::new();
    for pull in task.start().pulls().required() {
        let Some(id) = &pull.merge_commit_sha else {
            continue;
        };
        let commit = repository.commit(id).required();
        for change in commit.changes().required() {
            if change.kind == GitChangeKind::Added && change.path.starts_with("recipes/") {
                brought.insert(title(&commit, &change.path), pull.issue.number);
            }
        }
    }
    brought
}
