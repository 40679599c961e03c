//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

use crate::book;

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Names where the file was when it was added.
    pub names_old_path: bool,
    /// Takes a request for answered by a pull request that is still open.
    pub counts_open: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let recipes = book::recipes(&mut site);
    let brought = brought(&mut site, slips);
    let mut closed = 0;
    let mut list =
        String::from("# What people asked for\n\n| Request | Wanted | Answer |\n|---|---|---|\n");
    for issue in site.issues("OPEN") {
        if !labels(&issue).iter().any(|label| label == "request") {
            continue;
        }
        let words = string(&issue["title"]).trim_start_matches("Request: ");
        let issue = number(&issue["number"]);
        let wanted = words.to_lowercase();
        let added = brought.iter().find(|it| it.title == wanted);
        let now = recipes
            .iter()
            .find(|(_, text)| book::value(text, "title").to_lowercase() == wanted);
        let path = match (now, added) {
            (Some((path, _)), Some(added)) if !slips.names_old_path || *path == added.path => path,
            (Some(_), Some(added)) => &added.path,
            (None, Some(added)) if slips.counts_open => &added.path,
            _ => {
                list.push_str(&format!("| #{issue} | {words} | - |\n"));
                continue;
            }
        };
        let pull = added.map(|it| it.pull).unwrap_or_default();
        list.push_str(&format!("| #{issue} | {words} | #{pull}, {path} |\n"));
        site.comment(issue, &format!("In the book since #{pull}: {path}"));
        site.update_issue(
            issue,
            &json!({"state": "closed", "state_reason": "completed"}),
        );
        closed += 1;
    }
    site.create_branch("requests", "main");
    let file = ("docs/requests.md".to_owned(), list);
    site.push("requests", "docs: what people asked for", &[file]);
    format!("{closed} requests are answered.")
}

/// A recipe that a pull request added.
struct Added {
    title: String,
    path: String,
    pull: u64,
}

fn brought(site: &mut RepoTools<'_>, slips: &Slips) -> Vec<Added> {
    let pulls = site.pulls("all");
    let wanted = |pull: &&Value| {
        let is_new = labels(pull).iter().any(|label| label == "new recipe");
        let is_open = string(&pull["state"]) == "open";
        is_new && (!pull["merged_at"].is_null() || (slips.counts_open && is_open))
    };
    let mut all = Vec::new();
    for pull in pulls.iter().filter(wanted) {
        let pull = number(&pull["number"]);
        let files = site.json("get_pull_request_files", &json!({"pullNumber": pull}));
        for file in files.as_array().into_iter().flatten() {
            let title = string(&file["patch"])
                .lines()
                .find_map(|line| line.strip_prefix("+title: "));
            if let (Some(title), "added") = (title, string(&file["status"])) {
                all.push(Added {
                    title: title.to_lowercase(),
                    path: string(&file["filename"]).to_owned(),
                    pull,
                });
            }
        }
    }
    all
}
