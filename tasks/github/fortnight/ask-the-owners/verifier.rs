//! Owners of the files of the open pull requests, found again in the starting world.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Pull, Repository};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/asked";
const FILE: &str = "docs/asked.md";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let owners = repository.file("main", "OWNERS").text().required();
    let mut waiting = task.start().pulls().required();
    waiting.retain(|it| {
        let is_open = it.issue.state == "open" && !it.draft;
        is_open && it.requested_reviewers.is_empty() && it.reviews.is_empty()
    });
    waiting.sort_by_key(|it| it.issue.number);
    let asked: Vec<(&Pull, Vec<String>)> = waiting
        .iter()
        .map(|pull| (pull, people(&repository, &owners, pull)))
        .collect();
    assert!(asked.len() > 5, "there is too little to ask in this world");

    let message = "docs: who was asked to review what";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    let mut expected = String::from("# Asked for a review\n\n");
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (pull, people) in &asked {
        expected.push_str(&format!(
            "- #{}: {}\n",
            pull.issue.number,
            people.join(", ")
        ));
        for login in people {
            *counts.entry(login).or_default() += 1;
        }
    }
    expected.push_str("\nEach has to look at:\n\n");
    for (login, count) in counts {
        expected.push_str(&format!("- {login}: {count}\n"));
    }
    task.check(
        "the page to the last byte",
        tip.file(FILE).equals(&expected),
    );
    for (pull, people) in &asked {
        let number = pull.issue.number;
        let found = task.end().pull(number);
        task.check(
            format!("those who know #{number} are asked"),
            found
                .map(|it| it.requested_reviewers.clone())
                .equal_in_any_order(people),
        );
        let mut expected = (*pull).clone();
        expected.requested_reviewers.clone_from(people);
        expected.issue.comments.push(Comment {
            user: task.viewer(),
            body: format!("Asked by OWNERS: {}.", people.join(", ")),
        });
        task.check(
            format!("#{number} says so and nothing else"),
            found.is_like(&expected),
        );
    }
    task.nothing_else_moved(&Allowed {
        touched: waiting.iter().map(|it| it.issue.number).collect(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// Returns the people who are asked for a review of a pull request, sorted.
fn people(repository: &Repository, owners: &str, pull: &Pull) -> Vec<String> {
    let main = repository.branch("main").required();
    let head = repository.branch(&pull.head).required();
    let base = repository.merge_base(&head, &main).required();
    let mut people: BTreeSet<&str> = BTreeSet::new();
    for change in head.changes_since(&base).required() {
        for path in [Some(change.path), change.previous].into_iter().flatten() {
            let deciding = owners.lines().rev().find(|line| fits(line, &path));
            let deciding = deciding.expect("a line fits every path");
            people.extend(deciding.split_whitespace().skip(1));
        }
    }
    let author = pull.issue.user.as_str();
    people.remove(author);
    match (people.is_empty(), author) {
        (false, _) => people.into_iter().map(str::to_owned).collect(),
        (true, "moakes") => vec!["pvries".to_owned()],
        (true, _) => vec!["moakes".to_owned()],
    }
}

/// Whether a line of the owners is about a path.
fn fits(line: &str, path: &str) -> bool {
    let begin = line.split_whitespace().next();
    begin.is_some_and(|begin| begin == "*" || path.starts_with(begin))
}
