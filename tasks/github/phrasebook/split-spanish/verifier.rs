//! The pages that lag behind, with their issues, found again in the starting world.

#[path = "../handbook.rs"]
mod handbook;

use std::collections::BTreeMap;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Issue};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "plan/es";
const FILE: &str = "docs/season-es.md";
const PLAN: &str = "Spanish before the season";

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let issues = task.start().issues().required();
    let plan = issues.iter().find(|it| it.title == PLAN);
    let plan = plan.expect("the plan is in this world");
    let proposed = proposed(task, &main);

    let mut table = String::new();
    let (mut parts, mut pages, mut behind) = (Vec::new(), 0, 0);
    for name in handbook::names(&main) {
        let lag = handbook::lag(&main, "es", &name);
        if lag == 0 {
            continue;
        }
        let (page, source) = (
            handbook::page(&main, "es", &name),
            handbook::page(&main, "en", &name),
        );
        let owners = handbook::owners(&main, &page.path);
        let by = match proposed.get(&page.path) {
            Some(number) => *number,
            None => {
                let wanted = wanted(plan, &name, &page, source.revision, &owners);
                let number = check_new(task, &issues, wanted);
                parts.push(number);
                number
            }
        };
        pages += 1;
        behind += lag;
        table += &format!(
            "| {name} | {} | {} | {} | #{by} |\n",
            page.revision,
            source.revision,
            owners.join(", ")
        );
    }
    assert!(
        parts.len() > 2 && parts.len() < pages,
        "there is nothing to decide"
    );

    let mut split = plan.clone();
    split.sub_issues.clone_from(&parts);
    task.check(
        "the issues stand below the plan in their order",
        task.end().issue(plan.number).is(split),
    );
    let tip = task.check_one_commit((BRANCH, "main"), "docs: the Spanish plan", [FILE]);
    let text = format!(
        "# Spanish before the season\n\n| Page | Follows | Source | Owners | By |\n|---|---|---|---|---|\n{table}\n{pages} pages, {behind} revisions behind.\n"
    );
    task.check("the list", tip.file(FILE).equals(&text));
    task.nothing_else_moved(&Allowed {
        touched: vec![plan.number],
        new_issues: parts.len(),
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The open pull request that changes a file.
fn proposed(task: &Verifier, main: &Commit) -> BTreeMap<String, u64> {
    let repository = task.start().repository();
    let mut all = BTreeMap::new();
    let pulls = task.start().pulls().required();
    for pull in pulls.iter().filter(|it| it.issue.state == "open") {
        let head = repository.branch(&pull.head).required();
        let base = repository.merge_base(&head, main).required();
        for change in head.changes_since(&base).required() {
            all.insert(change.path, pull.issue.number);
        }
    }
    all
}

/// What the issue of a page must be; its number is another.
fn wanted(
    plan: &Issue,
    name: &str,
    page: &handbook::Page,
    revision: u64,
    owners: &[String],
) -> Issue {
    Issue {
        title: format!("es: {name}"),
        body: format!(
            "Bring `{}` from revision {} to {revision}.",
            page.path, page.revision
        ),
        labels: vec!["stale".to_owned(), "lang: es".to_owned()],
        assignees: owners.to_vec(),
        sub_issues: Vec::new(),
        comments: Vec::new(),
        ..plan.clone()
    }
}

/// Checks the new issue of a page, and gives its number.
fn check_new(task: &mut Verifier, before: &[Issue], mut wanted: Issue) -> u64 {
    let title = wanted.title.clone();
    let found = task
        .end()
        .issues()
        .one(&format!("the new issue {title:?}"), |it| {
            it.title == title && before.iter().all(|known| known.number != it.number)
        });
    let number = found.get().map(|it| it.number).unwrap_or_default();
    wanted.number = number;
    wanted.user = task.viewer();
    task.check(format!("the issue {title:?}"), found.is_like(&wanted));
    number
}
