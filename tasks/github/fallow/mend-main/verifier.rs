//! Checks the mended lines against the faults and earlier lines of the starting world.

#[path = "../mending.rs"]
mod mending;
#[path = "../runs.rs"]
mod runs;

use mcpmark_guest::github::{Allowed, Commit, Proposal};
use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/green-again";
const TITLE: &str = "main: as the checks want it";
const ISSUE: &str = "main is red";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mended = mending::mended(&repository, &main);
    let paths: Vec<&str> = mended.iter().map(|it| it.path.as_str()).collect();
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, &paths);
    for it in &mended {
        task.check(it.path.clone(), tip.file(&it.path).equals(&it.after));
    }
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let told: Vec<String> = mended
        .iter()
        .map(|it| format!("- {}: {}", it.path, it.lines))
        .collect();
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Fixes #{}\n\n{}", issue.number, told.join("\n")),
        reviewers: &["kadeyemi"],
    });
    let after = runs::runs(&task.end());
    let is_green = tip.satisfies(|tip: &Commit| {
        let mut all = after.iter().filter(|it| it.is_of_head(tip.id()));
        match all.next_back() {
            Some(run) => Condition::when(!run.is_red, "expected its run to succeed, it failed"),
            None => Condition::fail("expected a run of the checks on it, found none"),
        }
    });
    task.check("the checks of the pull request pass", is_green);
    runs::check_kept(task);
    task.nothing_else_moved(&Allowed {
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}
