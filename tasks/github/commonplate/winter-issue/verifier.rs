//! The issue of the book, made again from the starting world.

use std::collections::BTreeSet;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "issue-2024.4";
const TITLE: &str = "Release 2024.4";
const CHANGELOG: &str = "CHANGELOG.md";
const SECTIONS: [(&str, &str); 3] = [
    ("Added", "new recipe"),
    ("Changed", "change"),
    ("Fixed", "correction"),
];

fn verify(task: &mut Verifier) {
    let fresh = fresh(task);
    let of = |label: &str| -> Vec<&Pull> {
        let has = |pull: &&Pull| pull.issue.labels.iter().any(|it| it == label);
        fresh.iter().filter(has).collect()
    };
    let parts = SECTIONS.map(|(heading, label)| (heading, of(label)));
    let told: Vec<&Pull> = parts.iter().flat_map(|(_, pulls)| pulls.clone()).collect();
    assert!(told.len() > 4, "there is nothing to tell in this world");
    let mut section = String::from("## 2024.4 - 2024-12-02\n");
    for (heading, pulls) in parts.iter().filter(|(_, pulls)| !pulls.is_empty()) {
        section.push_str(&format!("\n### {heading}\n\n"));
        for pull in pulls {
            section.push_str(&format!(
                "- {} (#{})\n",
                pull.issue.title, pull.issue.number
            ));
        }
    }
    let before = task.start().repository().file("main", CHANGELOG);
    let before = before.text().required();
    let (head, rest) = before.split_once("## ").expect("there are issues before");
    let expected = format!("{head}{section}\n## {rest}");

    let tip = task.check_one_commit((BRANCH, "main"), TITLE, [CHANGELOG, "VERSION"]);
    let file = tip.file(CHANGELOG);
    for (at, line) in section.lines().enumerate() {
        task.check(
            format!("line {} of the section", at + 1),
            file.text().line(3 + at).equals(line),
        );
    }
    task.check("the change log to the last byte", file.equals(&expected));
    task.check("the version", tip.file("VERSION").equals("2024.4\n"));
    let [added, changed, fixed] = parts.each_ref().map(|(_, pulls)| pulls.len());
    let pull = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("{added} added, {changed} changed, {fixed} fixed."),
        reviewers: &["hbramwell"],
    });
    let own = pull.get().map(|pull| pull.issue.number).unwrap_or_default();
    let mut touched = Vec::new();
    for mended in told {
        for number in &mended.closes {
            let mut expected = task.start().issue(*number).required();
            expected.comments.push(Comment {
                user: task.viewer(),
                body: format!(
                    "Put right in #{}, in the book from 2024.4 on (#{own}).",
                    mended.issue.number
                ),
            });
            let found = task.end().issue(*number);
            task.check(
                format!("#{number} has one more comment"),
                pull.exists().and(found.is_like(&expected)),
            );
            touched.push(*number);
        }
    }
    assert!(
        !touched.is_empty(),
        "nobody reported anything in this world"
    );
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// What was merged since the last issue, in the order in which it was.
fn fresh(task: &Verifier) -> Vec<Pull> {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let last = repository.tag("v2024.3").required();
    let since = repository.log_since("main", &last).required();
    let since: BTreeSet<&str> = since.iter().map(|commit| commit.id()).collect();
    assert!(since.contains(main.id()), "nothing happened since");
    let mut fresh = task.start().pulls().required();
    fresh.retain(|pull| {
        let id = pull.merge_commit_sha.as_deref();
        pull.merged_at.is_some() && id.is_some_and(|id| since.contains(id))
    });
    fresh.sort_by(|one, other| one.merged_at.cmp(&other.merged_at));
    fresh
}
