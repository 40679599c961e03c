//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::Value;

const BRANCH: &str = "issue-2024.4";
const TITLE: &str = "Release 2024.4";
const SECTIONS: [(&str, &str); 3] = [
    ("Added", "new recipe"),
    ("Changed", "change"),
    ("Fixed", "correction"),
];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Sorts by number instead of the time of the merge.
    pub sorts_by_number: bool,
    /// Tells what was closed without a merge.
    pub counts_closed: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    site.file_at("main", "docs/releasing.md");
    let fresh = fresh(&mut site, slips);
    let mut section = String::from("## 2024.4 - 2024-12-02\n");
    let mut counts = Vec::new();
    let mut told = Vec::new();
    for (heading, label) in SECTIONS {
        let has = |pull: &&Value| labels(pull).iter().any(|it| it == label);
        let pulls: Vec<&Value> = fresh.iter().filter(has).collect();
        counts.push(format!("{} {}", pulls.len(), heading.to_lowercase()));
        if !pulls.is_empty() {
            section.push_str(&format!("\n### {heading}\n\n"));
        }
        for pull in pulls {
            let (title, number) = (string(&pull["title"]), number(&pull["number"]));
            section.push_str(&format!("- {title} (#{number})\n"));
            told.push(pull);
        }
    }
    let log = site
        .file_at("main", "CHANGELOG.md")
        .expect("the change log is there");
    let log = log.replacen("## 2024.3", &format!("{section}\n## 2024.3"), 1);
    site.create_branch(BRANCH, "main");
    let files = [
        ("VERSION".to_owned(), "2024.4\n".to_owned()),
        ("CHANGELOG.md".to_owned(), log),
    ];
    site.push(BRANCH, TITLE, &files);
    let own = site.open_pull(TITLE, BRANCH, "main", &format!("{}.", counts.join(", ")));
    site.ask_for_review(own, "hbramwell");
    for pull in &told {
        if let Some(issue) = fixed(string(&pull["body"])) {
            let number = number(&pull["number"]);
            let text = format!("Put right in #{number}, in the book from 2024.4 on (#{own}).");
            site.comment(issue, &text);
        }
    }
    format!("The issue has {} entries.", told.len())
}

/// The issue that a text fixes.
fn fixed(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("Fixes #")?;
    let end = rest
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn fresh(site: &mut RepoTools<'_>, slips: &Slips) -> Vec<Value> {
    let released = site.commits("v2024.3");
    let is_released = |id: &Value| released.iter().any(|commit| commit["sha"] == *id);
    let begin = string(&released[0]["commit"]["committer"]["date"]).to_owned();
    let mut fresh: Vec<Value> = site
        .pulls("closed")
        .into_iter()
        .filter(|pull| {
            let is_merged = !pull["merged_at"].is_null();
            let is_closed = !is_merged && *string(&pull["closed_at"]) > *begin;
            (is_merged && !is_released(&pull["merge_commit_sha"]))
                || (slips.counts_closed && is_closed)
        })
        .collect();
    if slips.sorts_by_number {
        fresh.sort_by_key(|pull| number(&pull["number"]));
    } else {
        fresh.sort_by_key(|pull| string(&pull["merged_at"]).to_owned());
    }
    fresh
}
