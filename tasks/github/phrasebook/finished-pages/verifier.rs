//! What is done in the plans, found again in the starting world.

#[path = "../handbook.rs"]
mod handbook;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Issue};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/plans";
const FILE: &str = "docs/plans.md";

/// A page of a plan.
struct Part {
    issue: Issue,
    page: String,
    revision: u64,
    lag: u64,
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let issues = task.start().issues().required();
    let plans = issues.iter().filter(|it| {
        it.state == "open" && it.labels.iter().any(|it| it == "plan") && !it.sub_issues.is_empty()
    });
    let mut plans: Vec<&Issue> = plans.collect();
    plans.sort_by_key(|it| it.number);

    let (mut table, mut touched) = (String::new(), Vec::new());
    let (mut finished, mut all, mut whole) = (0, 0, 0);
    for plan in &plans {
        let parts = plan
            .sub_issues
            .iter()
            .map(|number| part(task, &main, *number));
        let (mut done, mut left): (Vec<Part>, Vec<Part>) = parts.partition(|it| it.lag == 0);
        done.sort_by(|one, other| one.page.cmp(&other.page));
        left.sort_by(|one, other| other.lag.cmp(&one.lag).then(one.page.cmp(&other.page)));
        for it in &done {
            let said = format!("Done: follows revision {}.", it.revision);
            let mut wanted = closed(task, &it.issue, said);
            wanted.labels.retain(|it| it != "stale");
            let number = it.issue.number;
            touched.push(number);
            task.check(
                format!("#{number} is closed, {} is done", it.issue.title),
                task.end().issue(number).is_like(&wanted),
            );
        }

        let count = plan.sub_issues.len();
        let wanted = if left.is_empty() {
            whole += 1;
            closed(task, plan, format!("All {count} pages are done."))
        } else {
            let mut wanted = plan.to_owned().clone();
            let parts = left.iter().chain(&done);
            wanted.sub_issues = parts.map(|it| it.issue.number).collect();
            wanted.comments.push(Comment {
                user: task.viewer(),
                body: format!("{} of {count} pages are done.", done.len()),
            });
            wanted
        };
        let number = plan.number;
        touched.push(number);
        task.check(
            format!("#{number} is {}, with its parts in order", wanted.state),
            task.end().issue(number).is_like(&wanted),
        );
        let told = |parts: Vec<String>| match parts.as_slice() {
            [] => "-".to_owned(),
            parts => parts.join(", "),
        };
        finished += done.len();
        all += count;
        let names = told(done.iter().map(|it| it.page.clone()).collect());
        let lagging = left.iter().map(|it| format!("{} ({})", it.page, it.lag));
        let lagging = told(lagging.collect());
        table += &format!("| #{number} | {count} | {names} | {lagging} |\n");
    }
    assert!(
        whole > 0 && whole + 1 < plans.len() && finished > 4,
        "there is nothing to decide"
    );

    let tip = task.check_one_commit((BRANCH, "main"), "docs: the plans", [FILE]);
    let text = format!(
        "# Plans\n\n| Plan | Pages | Done | Left |\n|---|---|---|---|\n{table}\n{} plans, {finished} of {all} pages are done.\n",
        plans.len()
    );
    task.check("the list", tip.file(FILE).equals(&text));
    task.nothing_else_moved(&Allowed {
        touched,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn part(task: &Verifier, main: &Commit, number: u64) -> Part {
    let issue = task.start().issue(number).required();
    let (language, page) = issue.title.split_once(": ").expect("it names a page");
    Part {
        revision: handbook::page(main, language, page).revision,
        lag: handbook::lag(main, language, page),
        page: page.to_owned(),
        issue,
    }
}

/// An issue as it is when somebody said this and closed it.
fn closed(task: &Verifier, issue: &Issue, said: String) -> Issue {
    let user = task.viewer();
    let mut issue = issue.clone();
    issue.state = "closed".to_owned();
    issue.state_reason = Some("completed".to_owned());
    issue.closed_by = Some(user.clone());
    issue.comments.push(Comment { user, body: said });
    issue
}
