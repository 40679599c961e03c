//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "docs/lag";
const TITLE: &str = "docs: what lags behind";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes the days on which the pull requests were opened.
    pub dates_by_opening: bool,
    /// Leaves out what was pushed without a pull request.
    pub forgets_pushes: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    let issue = site.issue_titled("What lags behind, and since when?");
    let details = site.json("get_issue", &json!({"issue_number": issue}));
    let commits = site.commits("main");
    let pulls = site.pulls("closed");
    let sources = site.files_in("main", "handbook/en");
    let (mut table, mut summary) = (String::new(), String::new());
    for language in ["de", "es", "fr", "it"] {
        let (mut pages, mut revisions) = (0, 0);
        let mut earliest: Option<String> = None;
        for source in &sources {
            let name = source
                .trim_start_matches("handbook/en/")
                .trim_end_matches(".md");
            let there = head(&mut site, source, "revision: ");
            let path = format!("handbook/{language}/{name}.md");
            let here = head(&mut site, &path, "follows: ");
            if here == there {
                continue;
            }
            let mut lacking: Vec<(String, String)> = (here + 1..=there)
                .map(|revision| arrival(&commits, &pulls, name, revision, slips))
                .collect();
            if slips.forgets_pushes {
                lacking.retain(|(_, by)| by != "-");
            }
            let since = lacking.first().map(|(day, _)| day.clone());
            let by: Vec<&str> = lacking.iter().map(|(_, by)| by.as_str()).collect();
            table += &format!(
                "| {language}/{name} | {here} | {there} | {} | {} |\n",
                since.clone().unwrap_or_default(),
                by.join(", ")
            );
            pages += 1;
            revisions += lacking.len();
            earliest = [earliest, since].into_iter().flatten().min();
        }
        summary += &format!(
            "- {language}: {}, {}, since {}\n",
            count(pages, "page"),
            count(revisions, "revision"),
            earliest.unwrap_or_default()
        );
    }
    let text = format!(
        "# What lags behind\n\n| Page | Follows | Source | Since | By |\n|---|---|---|---|---|\n{table}\n{summary}"
    );
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &[("docs/lag.md".to_owned(), text)]);
    let own = site.open_pull(TITLE, BRANCH, "main", &format!("Closes #{issue}"));
    site.ask_for_review(own, string(&details["user"]["login"]));
    format!("#{own} tells what lags behind.")
}

fn count(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// The number at a key of the head of a page on main.
fn head(site: &mut RepoTools<'_>, path: &str, key: &str) -> u64 {
    let text = site.file_at("main", path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|it| it.parse().ok());
    value.expect("a page has its revision")
}

/// The day on which a revision came to main, and by what: who changes the source says it in the commit.
fn arrival(
    commits: &[Value],
    pulls: &[Value],
    name: &str,
    revision: u64,
    slips: &Slips,
) -> (String, String) {
    let begins = [format!("{name}: "), format!("Revert \"{name}: ")];
    let commit = commits.iter().find(|it| {
        let message = string(&it["commit"]["message"]);
        begins.iter().any(|begin| message.starts_with(begin))
            && message
                .lines()
                .any(|line| line == format!("Revision {revision}."))
    });
    let commit = commit.expect("the commit says it");
    let pull = pulls.iter().find(|pull| {
        let is_it = |id: &Value| *id == commit["sha"];
        !pull["merged_at"].is_null()
            && (is_it(&pull["merge_commit_sha"]) || is_it(&pull["head"]["sha"]))
    });
    let Some(pull) = pull else {
        return (day(&commit["commit"]["committer"]["date"]), "-".to_owned());
    };
    let by = format!("#{}", number(&pull["number"]));
    if slips.dates_by_opening {
        return (day(&pull["created_at"]), by);
    }
    let merged = commits
        .iter()
        .find(|it| it["sha"] == pull["merge_commit_sha"]);
    let merged = merged.expect("it is on main");
    (day(&merged["commit"]["committer"]["date"]), by)
}

fn day(time: &Value) -> String {
    string(time)[..10].to_owned()
}
