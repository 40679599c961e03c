//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeSet;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/plans";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes a page for done when an open pull request brings it up to date.
    pub trusts_proposals: bool,
    /// Leaves the parts of a plan in the order that they have.
    pub leaves_order: bool,
}

/// A page of a plan.
struct Part {
    number: u64,
    id: Value,
    labels: Vec<String>,
    page: String,
    revision: u64,
    lag: u64,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    let mut plans = site.issues("OPEN");
    plans.retain(|issue| labels(issue).iter().any(|it| it == "plan"));
    let mut proposed = BTreeSet::new();
    if slips.trusts_proposals {
        for pull in site.pulls("open") {
            let asked = json!({"pullNumber": pull["number"]});
            let files = site.pages("get_pull_request_files", None, &asked);
            proposed.extend(files.iter().map(|it| string(&it["filename"]).to_owned()));
        }
    }

    let (mut table, mut finished, mut all, mut count) = (String::new(), 0, 0, 0);
    for plan in &plans {
        let plan = number(&plan["number"]);
        let parts = parts(&mut site, plan, &proposed);
        if parts.is_empty() {
            continue;
        }
        let total = parts.len();
        let (mut done, mut left): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|it| it.lag == 0);
        done.sort_by_key(|it| it.page.clone());
        left.sort_by_key(|it| (u64::MAX - it.lag, it.page.clone()));
        for it in &done {
            close(&mut site, it);
        }
        if left.is_empty() {
            site.comment(plan, &format!("All {total} pages are done."));
            close_issue(&mut site, plan);
        } else {
            let said = format!("{} of {total} pages are done.", done.len());
            site.comment(plan, &said);
            if !slips.leaves_order {
                order(&mut site, plan, left.iter().chain(&done));
            }
        }
        let names = told(done.iter().map(|it| it.page.clone()).collect());
        let lagging = left.iter().map(|it| format!("{} ({})", it.page, it.lag));
        let lagging = told(lagging.collect());
        table += &format!("| #{plan} | {total} | {names} | {lagging} |\n");
        finished += done.len();
        all += total;
        count += 1;
    }
    let text = format!(
        "# Plans\n\n| Plan | Pages | Done | Left |\n|---|---|---|---|\n{table}\n{count} plans, {finished} of {all} pages are done.\n"
    );
    site.create_branch(BRANCH, "main");
    let file = ("docs/plans.md".to_owned(), text);
    site.push(BRANCH, "docs: the plans", &[file]);
    format!("{finished} of {all} pages are done.")
}

fn parts(site: &mut RepoTools<'_>, plan: u64, proposed: &BTreeSet<String>) -> Vec<Part> {
    let asked = json!({"issue_number": plan, "per_page": 100});
    let list = site.json("list_sub_issues", &asked);
    let list = list.as_array().cloned().unwrap_or_default();
    let mut parts = Vec::new();
    for issue in &list {
        let (language, page) = string(&issue["title"]).split_once(": ").expect("a page");
        let path = format!("handbook/{language}/{page}.md");
        let there = head(site, &format!("handbook/en/{page}.md"), "revision: ");
        let here = head(site, &path, "follows: ");
        let here = if proposed.contains(&path) {
            there
        } else {
            here
        };
        parts.push(Part {
            number: number(&issue["number"]),
            id: issue["id"].clone(),
            labels: labels(issue),
            page: page.to_owned(),
            revision: here,
            lag: there - here,
        });
    }
    parts
}

/// The number at a key of the head of a page on main.
fn head(site: &mut RepoTools<'_>, path: &str, key: &str) -> u64 {
    let text = site.file_at("main", path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|it| it.parse().ok());
    value.expect("a page has its revision")
}

fn close(site: &mut RepoTools<'_>, part: &Part) {
    let said = format!("Done: follows revision {}.", part.revision);
    site.comment(part.number, &said);
    let labels: Vec<&String> = part.labels.iter().filter(|it| *it != "stale").collect();
    site.update_issue(part.number, &json!({"labels": labels}));
    close_issue(site, part.number);
}

fn close_issue(site: &mut RepoTools<'_>, number: u64) {
    let closed = json!({"state": "closed", "state_reason": "completed"});
    site.update_issue(number, &closed);
}

/// Puts each part behind the one before it.
fn order<'a>(site: &mut RepoTools<'_>, plan: u64, parts: impl Iterator<Item = &'a Part>) {
    let parts: Vec<&Part> = parts.collect();
    for pair in parts.windows(2) {
        let asked = json!({
            "issue_number": plan, "sub_issue_id": pair[1].id, "after_id": pair[0].id,
        });
        site.text("reprioritize_sub_issue", &asked);
    }
}

fn told(parts: Vec<String>) -> String {
    if parts.is_empty() {
        return "-".to_owned();
    }
    parts.join(", ")
}
