//! The causes, found again in the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Issue, Pull};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/incidents";
const FILE: &str = "docs/incidents.md";

fn verify(task: &mut Verifier) {
    let pulls = task.start().pulls().required();
    let log = task.start().repository().log("main").required();
    let viewer = task.viewer();
    let mut issues = task.start().issues().required();
    issues.retain(|it| it.state == "open" && it.labels.iter().any(|label| label == "incident"));
    issues.sort_by_key(|it| it.number);
    assert!(
        issues.len() > 4,
        "there are too few incidents in this world"
    );
    let mut list = String::from(
        "# Incidents\n\n| Incident | Minutes | Caused by | Author | Taken back by |\n\
         |---|---|---|---|---|\n",
    );
    let mut sum = 0;
    for issue in &issues {
        let number = issue.number;
        let id = line(issue, "Change: ").expect("each names a change");
        let cause = by_commit(&pulls, id).expect("a pull request brought it");
        let undone = undone(&log, id).and_then(|id| by_commit(&pulls, id));
        let (cause_number, author) = (cause.issue.number, &cause.issue.user);
        let mut expected = issue.clone();
        expected.labels.push("caused by change".to_owned());
        expected.assignees = vec![author.clone()];
        let mut said = format!("Caused by #{cause_number}");
        let mut back = "-".to_owned();
        if let Some(undone) = undone {
            back = format!("#{}", undone.issue.number);
            said.push_str(&format!(", taken back by {back}"));
            expected.labels.push("undone".to_owned());
            expected.state = "closed".to_owned();
            expected.state_reason = Some("completed".to_owned());
            expected.closed_by = Some(viewer.clone());
        }
        expected.comments.push(Comment {
            user: viewer.clone(),
            body: format!("{said}."),
        });
        let labels: Vec<&str> = expected.labels.iter().map(String::as_str).collect();
        let found = task.end().issue(number);
        task.check(
            format!("the labels of #{number}"),
            found.labels_are(&labels),
        );
        task.check(
            format!("#{number} is as it should be"),
            found.is_like(&expected),
        );
        let minutes = line(issue, "Stood still for ").and_then(|it| it.split(' ').next());
        let minutes: u32 = minutes.and_then(|it| it.parse().ok()).expect("a number");
        sum += minutes;
        list.push_str(&format!(
            "| #{number} | {minutes} | #{cause_number} | {author} | {back} |\n"
        ));
    }
    list.push_str(&format!("\n{} incidents, {sum} minutes.\n", issues.len()));
    let message = "docs: what caused the incidents";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    task.check("the list", tip.file(FILE).equals(&list));
    task.nothing_else_moved(&Allowed {
        touched: issues.iter().map(|it| it.number).collect(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn line<'a>(issue: &'a Issue, begin: &str) -> Option<&'a str> {
    issue.body.lines().find_map(|line| line.strip_prefix(begin))
}

fn by_commit<'a>(pulls: &'a [Pull], id: &str) -> Option<&'a Pull> {
    pulls
        .iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(id))
}

/// The commit that took another one back.
fn undone<'a>(log: &'a [Commit], id: &str) -> Option<&'a str> {
    let words = format!("This reverts commit {id}.");
    let commit = log.iter().find(|commit| commit.message().contains(&words));
    commit.map(Commit::id)
}
