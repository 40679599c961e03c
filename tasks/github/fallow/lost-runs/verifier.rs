//! Lost runs and the results of their second attempts, found in the starting and the final world.

#[path = "../runs.rs"]
mod runs;

use mcpmark_guest::github::{Allowed, Comment, Pull};
use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let (start, end) = (task.start(), task.end());
    let (before, after) = (runs::runs(&start), runs::runs(&end));
    let repository = start.repository();
    let main = repository.branch("main").required();
    let mut pulls = start.pulls().required();
    pulls.retain(|it| it.issue.state == "open");
    pulls.sort_by_key(|it| it.issue.number);
    let lost: Vec<(&Pull, &runs::Run)> = pulls
        .iter()
        .filter_map(|pull| {
            let run = before.iter().rfind(|it| it.is_of_head(&pull.head_sha))?;
            let mut failed = run.jobs.iter().filter(|it| it.is_red);
            let is_lost = failed.any(|it| it.log.contains("received a shutdown signal"));
            is_lost.then_some((pull, run))
        })
        .collect();
    let numbers: Vec<u64> = lost.iter().map(|(_, run)| run.number).collect();
    for run in &before {
        let wanted = run.attempt + u64::from(numbers.contains(&run.number));
        let found = after
            .iter()
            .find(|it| it.number == run.number)
            .map(|it| it.attempt);
        if found != Some(wanted) || numbers.contains(&run.number) {
            let words = format!(
                "expected {wanted} attempts, found {}",
                found.unwrap_or_default()
            );
            let condition = Condition::when(found == Some(wanted), words);
            task.check(format!("attempts at run {}", run.number), condition);
        }
    }
    let viewer = task.viewer();
    let commits = task.added("main", "main");
    let mut merged = 0;
    let (mut red, mut touched) = (0, Vec::new());
    for (pull, run) in &lost {
        let number = pull.issue.number;
        touched.push(number);
        let found = end.pull(number);
        let failed = failures(&repository, pull);
        let mut expected = (*pull).clone();
        if !failed.is_empty() {
            red += 1;
            expected.issue.labels.push("red".to_owned());
            expected.issue.comments.push(Comment {
                user: viewer.clone(),
                body: failed.join("\n"),
            });
        } else if is_approved(pull) {
            let commit = commits.nth(merged);
            merged += 1;
            let title = &pull.issue.title;
            let message = format!("{title} (#{number})\n\nChecked-by: run {}", run.number);
            task.check(
                format!("the message of #{number}"),
                commit.message_is(&message),
            );
            let head = repository.branch(&pull.head).required();
            let base = repository.merge_base(&head, &main).required();
            let changes = head.changes_since(&base).required();
            let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
            task.check(
                format!("the files of #{number}"),
                commit.changed_only(&paths),
            );
            task.check(
                format!("#{number} is squashed"),
                found.is_merged_by("squash"),
            );
            expected.issue.state = "closed".to_owned();
            expected.issue.closed_by = Some(viewer.clone());
            expected.merge_method = Some("squash".to_owned());
            expected.merge_commit_sha = commit.get().ok().map(|it| it.id().to_owned());
            expected.merged_at = found.get().ok().and_then(|it| it.merged_at.clone());
        } else {
            expected.issue.labels.push("green".to_owned());
        }
        task.check(format!("#{number} is as it should be"), found.is(expected));
    }
    assert!(merged > 1 && red > 0, "there is nothing to decide");
    task.check("a commit for each merge", commits.count_is(merged));
    task.check(
        "they stand on main in a line",
        commits.are_straight_on(&main),
    );
    task.nothing_else_moved(&Allowed {
        touched,
        branches: &["main"],
        ..Allowed::default()
    });
}

fn is_approved(pull: &Pull) -> bool {
    let last = |at: usize| {
        let review = &pull.reviews[at];
        let later = &pull.reviews[at + 1..];
        review.state != "COMMENTED" && later.iter().all(|it| it.user != review.user)
    };
    let any =
        |state: &str| (0..pull.reviews.len()).any(|at| pull.reviews[at].state == state && last(at));
    any("APPROVED") && !any("CHANGES_REQUESTED")
}

/// Returns the failures that the checks report for the rows of a pull request. The lost ones differ in names alone.
fn failures(repository: &mcpmark_guest::github::Repository, pull: &Pull) -> Vec<String> {
    let head = repository.branch(&pull.head).required();
    let names = head.file("names.txt").text().required();
    let mut all = Vec::new();
    for path in head.files("data").required() {
        let text = head.file(&path).text().required();
        for (at, line) in text.lines().enumerate().skip(1) {
            let name = line.split(',').nth(1).unwrap_or_default();
            if names.lines().all(|it| it != name) {
                let place = format!("{path}:{}", at + 1);
                all.push(format!(
                    "names / Names: {place}: {name:?} is no name of names.txt"
                ));
            }
        }
    }
    all.truncate(1);
    all
}
