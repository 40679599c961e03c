//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::json;

use crate::rules::{self, Slips};
use mcpmark_guest::github::RepoTools;

const BRANCH: &str = "triage/2025-03-03";

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "lowfield", "sluice");
    let rules = site
        .file_at("main", "docs/triage.md")
        .expect("the rules are there");
    let mut issues: Vec<rules::Issue> = site.issues("OPEN").iter().map(rules::read).collect();
    if slips.repeats_closed {
        let closed = site.json(
            "list_issues",
            &json!({"state": "CLOSED", "perPage": 100, "orderBy": "CREATED_AT", "direction": "DESC"}),
        );
        let closed = closed["issues"].as_array().cloned().unwrap_or_default();
        issues.extend(closed.iter().map(rules::read));
        issues.sort_by_key(|it| it.number);
    }
    let decisions = rules::decide(&issues, &rules, slips);
    let mut report = String::from(
        "# Triage of 2025-03-03\n\n| Issue | Labels | Duplicate of |\n|---|---|---|\n",
    );
    for it in &decisions {
        let number = it.number;
        let mut change = json!({"issue_number": number, "labels": it.labels});
        let mut repeats = "-".to_owned();
        if let Some(repeated) = it.repeats {
            site.comment(number, &format!("Duplicate of #{repeated}."));
            change["state"] = "closed".into();
            change["state_reason"] = "duplicate".into();
            change["duplicate_of"] = repeated.into();
            repeats = format!("#{repeated}");
        }
        site.text("update_issue", &change);
        let labels = it.labels.join(", ");
        report.push_str(&format!("| #{number} | {labels} | {repeats} |\n"));
    }
    let duplicates = decisions.iter().filter(|it| it.repeats.is_some()).count();
    report.push_str(&format!(
        "\n{} issues, {duplicates} duplicates.\n",
        decisions.len()
    ));
    site.create_branch(BRANCH, "main");
    let file = ("docs/triage/2025-03-03.md".to_owned(), report);
    site.push(BRANCH, "docs: triage of 2025-03-03", &[file]);
    format!("{} issues have their labels.", decisions.len())
}
