//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeSet;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const SECTIONS: [(&str, &[&str]); 3] = [
    ("Added", &["feature", "words"]),
    ("Changed", &["breaking", "deprecation"]),
    ("Fixed", &["fix"]),
];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Counts what was taken back, and the reverts.
    pub counts_what_was_undone: bool,
    /// Puts off closed issues as well.
    pub moves_closed_issues: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/versions.md");
    let mut fresh = fresh(&mut site);
    let mut told = String::new();
    if !slips.counts_what_was_undone {
        for (change, revert) in undone(&mut site, &fresh) {
            told.push_str(&format!("\n- #{change} was taken back by #{revert}"));
            fresh.retain(|it| it["number"] != change && it["number"] != revert);
        }
    }
    let has = |pull: &Value, wanted: &[&str]| {
        let labels = labels(pull);
        wanted
            .iter()
            .any(|label| labels.iter().any(|it| it == label))
    };
    let any = |wanted: &[&str]| fresh.iter().any(|it| has(it, wanted));
    let version = match (
        any(&["breaking"]),
        any(&["deprecation", "feature", "words"]),
    ) {
        (true, _) => "4.0.0",
        (false, true) => "3.5.0",
        (false, false) => "3.4.1",
    };
    let mut section = format!("## {version} - 2025-04-28\n");
    let (mut counts, mut authors) = (Vec::new(), BTreeSet::new());
    for (heading, wanted) in SECTIONS {
        let pulls: Vec<&Value> = fresh.iter().filter(|it| has(it, wanted)).collect();
        counts.push(format!("{} {}", pulls.len(), heading.to_lowercase()));
        if !pulls.is_empty() {
            section.push_str(&format!("\n### {heading}\n\n"));
        }
        for pull in pulls {
            let (title, number) = (string(&pull["title"]), number(&pull["number"]));
            section.push_str(&format!("- {title} (#{number})\n"));
            authors.insert(string(&pull["user"]["login"]));
        }
    }
    let log = site.file_at("main", "CHANGELOG.md");
    let log = log.expect("there is a change log");
    let log = log.replacen("## 3.4.0", &format!("{section}\n## 3.4.0"), 1);
    let (branch, title) = (format!("prepare/{version}"), format!("Release {version}"));
    site.create_branch(&branch, "main");
    let files = [
        ("VERSION".to_owned(), format!("{version}\n")),
        ("CHANGELOG.md".to_owned(), log),
    ];
    site.push(&branch, &title, &files);
    let body = format!("{}.\n{told}", counts.join(", "));
    let own = site.open_pull(&title, &branch, "main", body.trim_end());
    site.update_pull(own, &json!({"reviewers": authors}));
    put_off(&mut site, &format!("Not in {version}, see #{own}."), slips);
    format!("{version} is prepared in #{own}.")
}

/// What was merged since, in the order in which it was.
fn fresh(site: &mut RepoTools<'_>) -> Vec<Value> {
    let released = site.commits("v3.4.0");
    let is_released = |id: &Value| released.iter().any(|commit| commit["sha"] == *id);
    let mut fresh = site.pulls("closed");
    fresh.retain(|it| !it["merged_at"].is_null() && !is_released(&it["merge_commit_sha"]));
    fresh.sort_by_key(|it| string(&it["merged_at"]).to_owned());
    fresh
}

/// What was taken back, and by what.
fn undone(site: &mut RepoTools<'_>, fresh: &[Value]) -> Vec<(u64, u64)> {
    let main = site.json("list_commits", &json!({"sha": "main", "perPage": 100}));
    let commits = main.as_array().cloned().unwrap_or_default();
    let mut undone = Vec::new();
    for change in fresh {
        let words = format!(
            "This reverts commit {}.",
            string(&change["merge_commit_sha"])
        );
        let revert = commits
            .iter()
            .find(|it| string(&it["commit"]["message"]).contains(&words));
        let Some(revert) = revert else { continue };
        let by = fresh
            .iter()
            .find(|it| it["merge_commit_sha"] == revert["sha"]);
        let by = by.expect("a pull request took it back");
        undone.push((number(&change["number"]), number(&by["number"])));
    }
    undone
}

fn put_off(site: &mut RepoTools<'_>, words: &str, slips: &Slips) {
    let mut issues = site.issues("OPEN");
    if slips.moves_closed_issues {
        issues.extend(site.issues("CLOSED"));
    }
    let mut waiting = Vec::new();
    let mut later = 0;
    for issue in issues {
        let number = number(&issue["number"]);
        let found = site.json("get_issue", &json!({"issue_number": number}));
        match string(&found["milestone"]["title"]) {
            "Next release" => waiting.push(number),
            "Some day" => later = found["milestone"]["number"].as_u64().unwrap_or_default(),
            _ => {}
        }
    }
    for number in waiting {
        site.update_issue(number, &json!({"milestone": later}));
        site.comment(number, words);
    }
}
