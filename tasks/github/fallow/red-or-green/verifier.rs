//! Checks labels and lines against the last runs, read again in the starting world.

#[path = "../runs.rs"]
mod runs;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const ISSUE: &str = "Which pull requests are red by themselves?";
const BRANCH: &str = "desk/pulls";
const FILE: &str = "docs/pulls.md";

fn verify(task: &mut Verifier) {
    let runs = runs::runs(&task.start());
    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && !it.draft);
    pulls.sort_by_key(|it| it.issue.number);
    let told: Vec<(&Pull, &str, String)> = pulls.iter().map(|it| judge(&runs, it)).collect();
    let counts = ["green", "red", "rerun"].map(|label| {
        let count = told.iter().filter(|(_, it, _)| *it == label).count();
        assert!(count > 1, "{label} is hardly needed");
        count
    });
    for (pull, label, _) in &told {
        let number = pull.issue.number;
        let mut expected = pull.issue.clone();
        expected.labels.push((*label).to_owned());
        task.check(
            format!("#{number} is {label}"),
            task.end().pull(number).issue().is_like(&expected),
        );
        let rest = task.end().pull(number).map(|it| Pull {
            issue: pull.issue.clone(),
            ..it.clone()
        });
        task.check(
            format!("#{number} is otherwise as it was"),
            rest.is((*pull).clone()),
        );
    }
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let mut expected = issue.clone();
    expected.labels.push("red".to_owned());
    expected.assignees = vec!["kadeyemi".to_owned()];
    let found = task.end().issue(issue.number);
    task.check("the issue is as it should be", found.is_like(&expected));
    runs::check_kept(task);
    let message = "docs: which pull requests are red";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    let file = tip.file(FILE);
    let mut text = String::from("# Pull requests\n\n");
    for (at, (_, _, line)) in told.iter().enumerate() {
        task.check(
            format!("line {} of the list", at + 1),
            file.text().line(3 + at).equals(line),
        );
        text.push_str(&format!("{line}\n"));
    }
    let [green, red, lost] = counts;
    text.push_str(&format!(
        "\n{green} green, {red} red, {lost} to run again.\n"
    ));
    task.check("the file to the last byte", file.equals(&text));
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: message,
        body: &format!("For #{}", issue.number),
        reviewers: &["kadeyemi"],
    });
    let mut touched: Vec<u64> = pulls.iter().map(|it| it.issue.number).collect();
    touched.push(issue.number);
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// A pull request with its label and its line.
fn judge<'a>(runs: &[runs::Run], pull: &'a Pull) -> (&'a Pull, &'static str, String) {
    let mut all = runs.iter().filter(|it| it.is_of_head(&pull.head_sha));
    let run = all.next_back().expect("each pull request has a run");
    let mut failed: Vec<&runs::Job> = run.jobs.iter().filter(|it| it.is_red).collect();
    failed.sort_by(|one, other| one.name.cmp(&other.name));
    let is_lost = failed
        .iter()
        .any(|it| it.log.contains("received a shutdown signal"));
    let label = match (run.is_red, is_lost) {
        (false, _) => "green",
        (true, false) => "red",
        (true, true) => "rerun",
    };
    let names: Vec<&str> = failed.iter().map(|it| it.name.as_str()).collect();
    let number = pull.issue.number;
    let line = if names.is_empty() {
        format!("- #{number}: {label}")
    } else {
        format!("- #{number}: {label} ({})", names.join(", "))
    };
    (pull, label, line)
}
