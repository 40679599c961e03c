//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const BASE: &str = "release/3.1";
const BRANCH: &str = "backports-3.1";
const LABEL: &str = "backport 3.1";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes files as they are on main after the fix.
    pub copies_files: bool,
    /// Brings over what was taken back.
    pub brings_undone: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    site.file_at("main", "docs/backports.md");
    let pulls = site.pulls("closed");
    let main = site.commits("main");
    let there = site.commits(BASE);
    let says = |log: &[Value], words: &str| -> Option<String> {
        let commit = log
            .iter()
            .find(|it| string(&it["commit"]["message"]).contains(words))?;
        Some(string(&commit["sha"]).to_owned())
    };
    let mut waiting: Vec<&Value> = pulls
        .iter()
        .filter(|pull| !pull["merged_at"].is_null() && labels(pull).iter().any(|it| it == LABEL))
        .filter(|pull| {
            let id = string(&pull["merge_commit_sha"]);
            says(&there, &format!("cherry picked from commit {id}")).is_none()
        })
        .collect();
    waiting.sort_by_key(|pull| string(&pull["merged_at"]).to_owned());
    site.create_branch(BRANCH, BASE);
    let (mut fixes, mut lines) = (Vec::new(), Vec::new());
    for pull in waiting {
        let (number, id) = (number(&pull["number"]), string(&pull["merge_commit_sha"]));
        let revert = says(&main, &format!("This reverts commit {id}."));
        if let Some(revert) = revert.filter(|_| !slips.brings_undone) {
            let by = pulls
                .iter()
                .find(|it| string(&it["merge_commit_sha"]) == revert);
            let by = by.map(|it| it["number"].to_string()).unwrap_or_default();
            site.comment(number, &format!("Not for 3.1: taken back by #{by}."));
            let mut names = labels(pull);
            names.retain(|label| label != LABEL);
            site.update_issue(number, &json!({"labels": names}));
            continue;
        }
        bring(&mut site, &main, number, id, slips);
        lines.push(format!("- {} (#{number})", string(&pull["title"])));
        fixes.push(number);
    }
    let own = site.open_pull("Backports to 3.1", BRANCH, BASE, &lines.join("\n"));
    site.ask_for_review(own, "asolheim");
    for number in &fixes {
        site.comment(*number, &format!("On its way to 3.1 in #{own}."));
    }
    format!("{} fixes are on their way.", fixes.len())
}

fn bring(site: &mut RepoTools<'_>, main: &[Value], number: u64, id: &str, slips: &Slips) {
    let diff = site.text("get_pull_request_diff", &json!({"pullNumber": number}));
    let mut files: Vec<(String, String)> = Vec::new();
    // The last line that both sides have, and where the next one goes.
    let (mut above, mut at) = (String::new(), None);
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            let text = site.file_at(BRANCH, name).unwrap_or_default();
            files.push((name.to_owned(), text));
            (above, at) = (String::new(), None);
            continue;
        }
        let is_head = ["diff ", "index ", "---", "@@"]
            .iter()
            .any(|it| line.starts_with(it));
        let (Some((_, text)), false) = (files.last_mut(), is_head) else {
            continue;
        };
        let mut lines: Vec<&str> = text.lines().collect();
        let rest = line.get(1..).unwrap_or_default();
        let next =
            |lines: &[&str], above: &str| lines.iter().position(|it| *it == above).map(|it| it + 1);
        match line.chars().next() {
            Some('-') => {
                let place = lines
                    .iter()
                    .position(|it| *it == rest)
                    .expect("it is there");
                lines.remove(place);
                at = Some(place);
            }
            Some('+') => {
                let place = at.or_else(|| next(&lines, &above)).unwrap_or(0);
                lines.insert(place, rest);
                at = Some(place + 1);
            }
            _ => {
                above = rest.to_owned();
                at = None;
                continue;
            }
        }
        *text = lines.join("\n") + "\n";
    }
    if slips.copies_files {
        for (path, text) in &mut files {
            *text = site.file_of(id, path).unwrap_or_default();
        }
    }
    let commit = main.iter().find(|it| string(&it["sha"]) == id);
    let message = string(&commit.expect("it is on main")["commit"]["message"]).trim_end();
    let message = format!("{message}\n\n(cherry picked from commit {id})");
    site.push(BRANCH, &message, &files);
}
