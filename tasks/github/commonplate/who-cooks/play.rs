//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::Value;

use crate::book;

const BRANCH: &str = "back-page";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Counts what was closed without a merge.
    pub counts_closed: bool,
    /// Dates a recipe by the day on which its pull request was opened.
    pub dates_by_opening: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let pulls = site.pulls("closed");
    let commits = site.commits("main");
    let mut titles: Vec<String> = book::recipes(&mut site)
        .iter()
        .map(|(_, text)| book::value(text, "title").to_owned())
        .collect();
    titles.sort();
    let is_merged = |pull: &Value| !pull["merged_at"].is_null();
    let mut text = String::from(
        "# Who brought which recipe\n\n\
         | Title | Cook | Added | Pull request | Corrected |\n|---|---|---|---|---|\n",
    );
    let mut sum = 0;
    for title in &titles {
        let wanted = format!("Add {}", title.to_lowercase());
        let pull = pulls
            .iter()
            .find(|it| is_merged(it) && string(&it["title"]) == wanted);
        let begin = format!("{title}: ");
        let corrected = pulls
            .iter()
            .filter(|it| is_merged(it) || slips.counts_closed)
            .filter(|it| string(&it["title"]).starts_with(&begin))
            .filter(|it| labels(it).iter().any(|label| label == "correction"))
            .count();
        sum += corrected;
        let line = match pull {
            Some(pull) => {
                let at = if slips.dates_by_opening {
                    &pull["created_at"]
                } else {
                    &pull["merged_at"]
                };
                format!(
                    "{} | {} | #{}",
                    string(&pull["user"]["login"]),
                    &string(at)[..10],
                    number(&pull["number"])
                )
            }
            None => first(&commits),
        };
        text.push_str(&format!("| {title} | {line} | {corrected} |\n"));
    }
    text.push_str(&format!("\n{} recipes, {sum} corrections.\n", titles.len()));
    site.create_branch(BRANCH, "main");
    let message = "docs: who brought which recipe";
    site.push(BRANCH, message, &[("docs/cooks.md".to_owned(), text)]);
    format!("{} recipes are listed.", titles.len())
}

/// The recipes without a pull request came with one commit.
fn first(commits: &[Value]) -> String {
    let commit = commits
        .iter()
        .find(|it| string(&it["commit"]["message"]) == "The first three")
        .expect("the first recipes came with it");
    let at = string(&commit["commit"]["author"]["date"]);
    format!("{} | {} | -", string(&commit["author"]["login"]), &at[..10])
}
