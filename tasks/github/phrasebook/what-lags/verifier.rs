//! What lags behind, found again in the starting world.

#[path = "../handbook.rs"]
mod handbook;
#[path = "../line.rs"]
mod line;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "docs/lag";
const FILE: &str = "docs/lag.md";
const TITLE: &str = "docs: what lags behind";
const ISSUE: &str = "What lags behind, and since when?";

/// How a revision of a page came to main.
struct Arrival {
    revision: u64,
    day: String,
    by: String,
}

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let pulls = task.start().pulls().required();
    let straight = line::straight(&repository, "main");
    let names = handbook::names(&main);
    let history: Vec<Vec<Arrival>> = names
        .iter()
        .map(|name| arrivals(&straight, &pulls, name))
        .collect();

    let (mut table, mut summary) = (String::new(), String::new());
    let mut pushed = 0;
    for language in handbook::LANGUAGES {
        let (mut pages, mut revisions, mut earliest) = (0, 0, String::from("9999"));
        for (name, history) in names.iter().zip(&history) {
            let follows = handbook::page(&main, language, name).revision;
            let lacking: Vec<&Arrival> =
                history.iter().filter(|it| it.revision > follows).collect();
            let Some(first) = lacking.first() else {
                continue;
            };
            let source = follows + lacking.len() as u64;
            assert!(
                history[0].revision <= follows,
                "the page was elsewhere when the first of them came"
            );
            assert_eq!(source, handbook::page(&main, "en", name).revision);
            let by: Vec<&str> = lacking.iter().map(|it| it.by.as_str()).collect();
            table += &format!(
                "| {language}/{name} | {follows} | {source} | {} | {} |\n",
                first.day,
                by.join(", ")
            );
            pushed += by.iter().filter(|it| **it == "-").count();
            pages += 1;
            revisions += lacking.len();
            earliest = earliest.min(first.day.clone());
        }
        summary += &format!(
            "- {language}: {pages} {}, {revisions} {}, since {earliest}\n",
            if pages == 1 { "page" } else { "pages" },
            if revisions == 1 {
                "revision"
            } else {
                "revisions"
            }
        );
    }
    assert!(pushed > 0, "everything came by pull requests");

    let tip = task.check_one_commit((BRANCH, "main"), TITLE, [FILE]);
    let text = format!(
        "# What lags behind\n\n| Page | Follows | Source | Since | By |\n|---|---|---|---|---|\n{table}\n{summary}"
    );
    task.check("the page", tip.file(FILE).equals(&text));
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
    task.nothing_else_moved(&Allowed {
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The revisions of an English page, the first one first.
fn arrivals(straight: &[Commit], pulls: &[Pull], name: &str) -> Vec<Arrival> {
    let path = format!("handbook/en/{name}.md");
    let mut all: Vec<Arrival> = Vec::new();
    let mut last = String::new();
    for commit in straight {
        // Before it was renamed a page was elsewhere; what came then is lacking nowhere.
        let Ok(id) = commit.file(&path).entry().get().map(|it| it.id.clone()) else {
            continue;
        };
        if id == last {
            continue;
        }
        last = id;
        let revision = handbook::page(commit, "en", name).revision;
        if all.last().is_some_and(|it| it.revision == revision) {
            continue;
        }
        let pull = pulls
            .iter()
            .find(|it| it.merge_commit_sha.as_deref() == Some(commit.id()));
        all.push(Arrival {
            revision,
            day: line::day(commit.committer().time),
            by: pull.map_or("-".to_owned(), |it| format!("#{}", it.issue.number)),
        });
    }
    all
}
