//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::history::{self, Slips};
use mcpmark_guest::github::{RepoTools, number, string};

const BRANCH: &str = "docs/tomato-history";
const TITLE: &str = "docs: history of max_minutes of tomato";

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "lowfield", "sluice");
    let issues = site.issues("OPEN");
    let issue = issues
        .iter()
        .find(|it| string(&it["title"]) == "How did tomato come to its max_minutes?")
        .map(|it| number(&it["number"]))
        .expect("the issue is open");
    let changes = history::changes(&mut site, slips);
    let log = site
        .file_at("main", "CHANGELOG.md")
        .expect("there is a change log");
    let releases = history::releases(&log);
    let mut report = String::from(
        "# max_minutes of tomato\n\n\
         | Date | Author | From | To | Commit | Pull request | Release |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for it in &changes {
        let release = releases.iter().find(|(_, pulls)| pulls.contains(&it.pull));
        let release = release.map_or("-", |(tag, _)| tag);
        report.push_str(&format!(
            "| {} | {} | {} | {} | {} | #{} | {release} |\n",
            it.date,
            it.author,
            it.from,
            it.to,
            &it.commit[..10],
            it.pull
        ));
    }
    let most = changes.iter().map(|it| it.to).max().unwrap_or_default();
    let highest = changes.iter().find(|it| it.to == most);
    let highest = highest.map_or("", |it| &it.commit[..10]);
    report.push_str(&format!("\nHighest: {most} ({highest})\n"));

    site.create_branch(BRANCH, "main");
    let file = ("docs/history/tomato-max-minutes.md".to_owned(), report);
    site.push(BRANCH, TITLE, &[file]);
    let pull = site.open_pull(TITLE, BRANCH, "main", &format!("Closes #{issue}"));
    site.ask_for_review(pull, "moyelaran");
    site.comment(issue, &format!("See #{pull}."));
    format!("{} changes are told in #{pull}.", changes.len())
}
