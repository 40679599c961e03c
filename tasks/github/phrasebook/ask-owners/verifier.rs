//! Who has to be asked, by the files and the owners of the starting world.

#[path = "../handbook.rs"]
mod handbook;

use std::collections::BTreeSet;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/owners";
const FILE: &str = "docs/asked.md";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && !it.draft);
    pulls.sort_by_key(|it| it.issue.number);

    let (mut table, mut touched, mut requests) = (String::new(), Vec::new(), 0);
    for pull in &pulls {
        let head = repository.branch(&pull.head).required();
        let base = repository.merge_base(&head, &main).required();
        let changes = head.changes_since(&base).required();
        let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
        let owners: BTreeSet<String> = paths
            .iter()
            .flat_map(|path| handbook::owners(&main, path))
            .collect();
        let (left_out, asked): (Vec<String>, Vec<String>) = owners.into_iter().partition(|login| {
            *login == pull.issue.user || pull.reviews.iter().any(|it| it.user == *login)
        });

        let number = pull.issue.number;
        table += &format!("| #{number} | {} | {} |\n", names(&asked), names(&left_out));
        requests += asked.len();
        touched.push(number);
        let mut wanted = pull.clone();
        if asked.is_empty() {
            let body = "No owner left to ask.".to_owned();
            let user = task.viewer();
            wanted.issue.comments.push(Comment { user, body });
        }
        wanted.requested_reviewers.extend(asked);
        let mut labels: BTreeSet<String> = wanted.issue.labels.into_iter().collect();
        let added = paths.iter().filter_map(|path| label(path));
        labels.extend(added.map(str::to_owned));
        wanted.issue.labels = labels.into_iter().collect();
        task.check(
            format!("#{number} has its reviewers and labels, and is otherwise as it was"),
            task.end().pull(number).is_like(&wanted),
        );
    }
    assert!(requests > 3, "there is nobody to ask");

    let tip = task.check_one_commit((BRANCH, "main"), "docs: who was asked", [FILE]);
    let count = pulls.len();
    let text = format!(
        "# Who was asked\n\n| Pull request | Asked | Left out |\n|---|---|---|\n{table}\n{count} pull requests, {requests} requests.\n"
    );
    task.check("the list", tip.file(FILE).equals(&text));
    task.nothing_else_moved(&Allowed {
        touched,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn names(logins: &[String]) -> String {
    match logins {
        [] => "-".to_owned(),
        logins => logins.join(", "),
    }
}

/// The label that a file calls for.
fn label(path: &str) -> Option<&'static str> {
    let labels = [
        ("handbook/de/", "lang: de"),
        ("handbook/en/", "source"),
        ("handbook/es/", "lang: es"),
        ("handbook/fr/", "lang: fr"),
        ("handbook/it/", "lang: it"),
        ("glossary/", "glossary"),
        ("print/", "print"),
    ];
    let found = labels
        .into_iter()
        .find(|(place, _)| path.starts_with(place));
    found.map(|(_, label)| label)
}
