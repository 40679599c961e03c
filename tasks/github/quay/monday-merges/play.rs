//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Merges what somebody only commented on.
    pub takes_comments: bool,
    /// Merges with a merge commit.
    pub makes_merges: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    site.file_at("main", "docs/merging.md");
    let mut pulls = site.pulls("open");
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let mut merged = 0;
    for pull in &pulls {
        let mut names = labels(pull);
        if pull["draft"] == true || !names.iter().any(|label| label == "ready") {
            continue;
        }
        let (pull, title) = (number(&pull["number"]), string(&pull["title"]));
        let reviews = site.json("get_pull_request_reviews", &json!({"pullNumber": pull}));
        let reviews = reviews.as_array().cloned().unwrap_or_default();
        match approved(&reviews, slips) {
            None => site.comment(pull, "Not approved yet."),
            Some(login) => {
                let whole = site.json("get_pull_request", &json!({"pullNumber": pull}));
                if whole["mergeable"] == false {
                    site.comment(pull, "Conflicts with main.");
                } else {
                    let method = if slips.makes_merges {
                        "merge"
                    } else {
                        "squash"
                    };
                    let title = format!("{title} (#{pull})");
                    site.merge(pull, method, &title, &format!("Reviewed-by: {login}"));
                    merged += 1;
                }
            }
        }
        names.retain(|label| label != "ready");
        site.update_issue(pull, &json!({"labels": names}));
    }
    format!("{merged} pull requests are merged.")
}

/// Who approved, where nobody asks for changes.
fn approved(reviews: &[Value], slips: &Slips) -> Option<String> {
    let mut last: Vec<(String, String)> = Vec::new();
    for review in reviews {
        let state = string(&review["state"]);
        if state == "COMMENTED" && !slips.takes_comments {
            continue;
        }
        let login = string(&review["user"]["login"]).to_owned();
        last.retain(|(it, _)| *it != login);
        last.push((login, state.to_owned()));
    }
    if last.iter().any(|(_, state)| state == "CHANGES_REQUESTED") {
        return None;
    }
    last.into_iter().next().map(|(login, _)| login)
}
