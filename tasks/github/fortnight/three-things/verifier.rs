//! What belongs to which area, divided again in the starting world.

use mcpmark_guest::github::{Allowed, Comment, Commit, Pull, Review};
use mcpmark_guest::{Found, Verifier};

mcpmark_guest::verifier!(verify);

const TITLE: &str = "what I found this winter";
/// The areas in the order of the document; what is in none of the others is of the last.
const AREAS: [&str; 3] = ["words", "docs", "library"];

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let all = task.start().pulls();
    let whole: Pull = all
        .one("the whole", |it| it.issue.title == TITLE)
        .required();
    let head = repository.branch(&whole.head).required();
    let base = repository.merge_base(&head, &main).required();
    let mut commits = repository.log_since(&whole.head, &base).required();
    commits.reverse();
    let is_shared = |commit: &Commit| {
        AREAS
            .iter()
            .filter(|it| !paths(commit, it).is_empty())
            .count()
            > 1
    };
    assert!(
        commits.iter().any(is_shared),
        "there is nothing to divide in this world"
    );
    let asks = |it: &&Review| it.state == "CHANGES_REQUESTED";
    let reviewer = &whole.reviews.iter().find(asks);
    let reviewer = reviewer.expect("somebody asks to divide it").user.clone();

    let (mut branches, mut parts) = (Vec::new(), Vec::new());
    for (at, area) in AREAS.into_iter().enumerate() {
        let own: Vec<&Commit> = commits
            .iter()
            .filter(|commit| !paths(commit, area).is_empty())
            .collect();
        assert!(!own.is_empty(), "each area has changes in this world");
        let branch = format!("{}-{area}", whole.head);
        check_branch(task, &branch, area, &own);
        let part = check_part(task, &whole, &branch, (at, area), &reviewer);
        parts.push((area, part, own.len()));
        branches.push(branch);
    }
    let numbers: Vec<u64> = parts.iter().map(|it| it.1).collect();
    task.check(
        "the parts are numbered in their order",
        Found::new("the parts", Ok(numbers)).ascend(),
    );

    let lines: Vec<String> = parts
        .iter()
        .map(|(area, number, count)| format!("- {area}: #{number} ({count})"))
        .collect();
    let mut closed = whole.clone();
    closed.issue.state = "closed".to_owned();
    closed.issue.closed_by = Some(task.viewer());
    closed.issue.labels.retain(|label| label != "needs work");
    closed.issue.comments.push(Comment {
        user: task.viewer(),
        body: lines.join("\n"),
    });
    let number = whole.issue.number;
    task.check(
        "the whole is closed and names its parts",
        task.end().pull(number).is_like(&closed),
    );
    let branches: Vec<&str> = branches.iter().map(String::as_str).collect();
    task.nothing_else_moved(&Allowed {
        touched: vec![number],
        new_pulls: AREAS.len(),
        branches: &branches,
        ..Allowed::default()
    });
}

/// Adds checks that a branch has the share of an area in some commits of the whole.
fn check_branch(task: &mut Verifier, branch: &str, area: &str, own: &[&Commit]) {
    let main = task.start().repository().branch("main").required();
    let added = task.added(branch, "main");
    task.check(
        format!("the branch of {area} has its commits"),
        added.count_is(own.len()).and(added.are_straight_on(&main)),
    );
    for (at, commit) in own.iter().enumerate() {
        let (part, number) = (added.nth(at), at + 1);
        let paths = paths(commit, area);
        task.check(
            format!("{area}: the message of commit {number}"),
            part.message_is(commit.message().trim_end()),
        );
        task.check(
            format!("{area}: the files of commit {number}"),
            part.changed_only(&paths),
        );
        for path in &paths {
            let text = commit.file(path).text().required();
            task.check(
                format!("{path} after commit {number}"),
                part.file(path).equals(&text),
            );
        }
    }
}

/// Adds a check of the pull request of an area, and gives its number.
fn check_part(
    task: &mut Verifier,
    whole: &Pull,
    branch: &str,
    (at, area): (usize, &str),
    reviewer: &str,
) -> u64 {
    let part = task.end().pulls().one(branch, |it| it.head == branch);
    let found = part.get().ok();
    let mut expected = Pull {
        head: branch.to_owned(),
        head_sha: found.map(|it| it.head_sha.clone()).unwrap_or_default(),
        requested_reviewers: vec![reviewer.to_owned()],
        reviews: Vec::new(),
        ..whole.clone()
    };
    let (place, count) = (at + 1, AREAS.len());
    expected.issue.number = found.map(|it| it.issue.number).unwrap_or_default();
    expected.issue.title = format!("{area}: {}", whole.issue.title);
    expected.issue.body = format!("Part {place} of {count} of #{}.", whole.issue.number);
    expected.issue.user = task.viewer();
    expected.issue.labels = vec![area.to_owned()];
    expected.issue.comments.clear();
    task.check(
        format!("the pull request of {area}"),
        part.is_like(&expected),
    );
    expected.issue.number
}

/// The paths of an area that a commit changes.
fn paths(commit: &Commit, area: &str) -> Vec<String> {
    let changes = commit.changes().required().into_iter();
    let paths = changes.map(|it| it.path);
    paths.filter(|path| area_of(path) == area).collect()
}

fn area_of(path: &str) -> &'static str {
    let is_words = path.starts_with("lib/fortnight/words/") || path.starts_with("test/cases/");
    let is_docs = path.starts_with("docs/") || (path.ends_with(".md") && !path.contains('/'));
    match (is_words, is_docs) {
        (true, _) => AREAS[0],
        (_, true) => AREAS[1],
        _ => AREAS[2],
    }
}
