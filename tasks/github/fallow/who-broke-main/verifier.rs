//! Beginnings of the failures, found again in the starting world.

#[path = "../runs.rs"]
mod runs;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Proposal};

mcpmark_guest::verifier!(verify);

const ISSUE: &str = "main is red";
const BRANCH: &str = "desk/broken";
const FILE: &str = "docs/broken.md";

fn verify(task: &mut Verifier) {
    let start = task.start();
    let mut runs = runs::runs(&start);
    runs.retain(runs::Run::is_of_main);
    let last = runs.last().expect("something has run on main");
    let mut names: Vec<&str> = last
        .jobs
        .iter()
        .filter(|it| it.is_red)
        .map(|it| it.name.as_str())
        .collect();
    names.sort_unstable();
    let users = start.file("users.json").json().required();
    let users = users.as_array().cloned().unwrap_or_default();
    let (mut lines, mut authors, mut commits) = (Vec::new(), Vec::<String>::new(), Vec::new());
    for name in names {
        let failed = |run: &&runs::Run| run.jobs.iter().any(|job| job.name == name && job.is_red);
        let row: Vec<&runs::Run> = runs.iter().rev().take_while(failed).collect();
        let first = row.last().expect("it failed in the last run");
        let commit = start.repository().commit(&first.head).required();
        let user = users
            .iter()
            .find(|it| it["email"] == commit.author().email.as_str());
        let login = user
            .and_then(|it| it["login"].as_str())
            .expect("authors are users");
        lines.push(format!(
            "| {name} | {} | {login} | {} | {} | {} |",
            &first.head[..7],
            first.number,
            &first.created[..10],
            row.len()
        ));
        if authors.iter().all(|it| it != login) {
            authors.push(login.to_owned());
        }
        commits.push(first.head.as_str());
    }
    commits.dedup();
    assert!(
        commits.len() > 1 && authors.len() > 1,
        "there is nothing to tell apart"
    );
    let issues = start.issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let found = task.end().issue(issue.number);
    let tip = task.check_one_commit((BRANCH, "main"), "docs: what broke main", [FILE]);
    let file = tip.file(FILE);
    let mut text = String::from(
        "# What broke main\n\n| Job | Commit | Author | Run | Since | Red runs |\n|---|---|---|---|---|---|\n",
    );
    for (at, line) in lines.iter().enumerate() {
        task.check(
            format!("line {} of the table", at + 1),
            file.text().line(5 + at).equals(line),
        );
        text.push_str(&format!("{line}\n"));
    }
    text.push_str("\n## Red runs\n\n");
    let outage = runs.iter().rev().take_while(|run| run.is_red).count();
    for (at, run) in runs[runs.len() - outage..].iter().enumerate() {
        let failed = run.jobs.iter().filter(|job| job.is_red);
        let mut failed: Vec<&str> = failed.map(|job| job.name.as_str()).collect();
        failed.sort_unstable();
        let line = format!("- {}: {}", run.number, failed.join(", "));
        let place = 8 + lines.len() + at;
        task.check(
            format!("red run {}", run.number),
            file.text().line(place).equals(&line),
        );
        text.push_str(&format!("{line}\n"));
    }
    task.check("the file to the last byte", file.equals(&text));
    let assignees: Vec<&str> = authors.iter().map(String::as_str).collect();
    task.check(
        "it is assigned to the authors",
        found.assignees_are(&assignees),
    );
    let mut expected = issue.clone();
    expected.labels.push("red".to_owned());
    expected.assignees.clone_from(&authors);
    task.check("the issue is as it should be", found.is_like(&expected));
    runs::check_kept(task);
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: "docs: what broke main",
        body: &format!("For #{}", issue.number),
        reviewers: &["kadeyemi"],
    });
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}
