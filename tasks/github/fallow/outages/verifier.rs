//! The page, made again from the starting world.

#[path = "../runs.rs"]
mod runs;

use std::collections::BTreeSet;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Proposal};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/outages";
const FILE: &str = "docs/outages.md";
const TITLE: &str = "docs: when main was red";
const ISSUE: &str = "How often were the checks red?";

fn verify(task: &mut Verifier) {
    let mut runs = runs::runs(&task.start());
    runs.retain(runs::Run::is_of_main);
    let (mut lines, mut red) = (Vec::new(), 0);
    let mut rest = runs.as_slice();
    while let Some(begin) = rest.iter().position(|run| run.is_red) {
        rest = &rest[begin..];
        let length = rest
            .iter()
            .position(|run| !run.is_red)
            .unwrap_or(rest.len());
        let (outage, after) = rest.split_at(length);
        lines.push(line(outage, after.first()));
        red += length;
        rest = after;
    }
    assert!(lines.len() > 4, "there are too few outages in this world");
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, [FILE]);
    let file = tip.file(FILE);
    let mut expected = String::from(
        "# Outages\n\n| From | Until | Runs | Jobs | Broke | Mended |\n|---|---|---|---|---|---|\n",
    );
    for (at, line) in lines.iter().enumerate() {
        task.check(
            format!("line {} of the table", at + 1),
            file.text().line(5 + at).equals(line),
        );
        expected.push_str(&format!("{line}\n"));
    }
    expected.push_str(&format!("\n{} outages, {red} red runs.\n", lines.len()));
    task.check("the file to the last byte", file.equals(&expected));
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Closes #{}", issue.number),
        reviewers: &[&issue.user],
    });
    runs::check_kept(task);
    task.nothing_else_moved(&Allowed {
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn line(outage: &[runs::Run], after: Option<&runs::Run>) -> String {
    let first = &outage[0];
    let jobs: BTreeSet<&str> = outage
        .iter()
        .flat_map(|run| &run.jobs)
        .filter(|job| job.is_red)
        .map(|job| job.name.as_str())
        .collect();
    let jobs: Vec<&str> = jobs.into_iter().collect();
    let (until, mended) = match after {
        Some(run) => (&run.created[..10], &run.head[..7]),
        None => ("-", "-"),
    };
    format!(
        "| {} | {until} | {} | {} | {} | {mended} |",
        &first.created[..10],
        outage.len(),
        jobs.join(", "),
        &first.head[..7]
    )
}
