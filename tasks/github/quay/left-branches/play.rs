//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/branches";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Counts nothing for what was merged, in whichever way.
    pub trusts_merges: bool,
    /// Takes a draft for any open pull request.
    pub misses_drafts: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    let branches = site.pages("list_branches", None, &json!({}));
    let mut names: Vec<&str> = branches.iter().map(|it| string(&it["name"])).collect();
    names.retain(|name| *name != "main" && !name.starts_with("release/"));
    names.sort_unstable();
    let pulls = site.pulls("all");
    let main = site.commits("main");
    let mut text = String::from(
        "# Branches\n\n| Branch | Pull request | State | Own commits | Author |\n\
         |---|---|---|---|---|\n",
    );
    let mut done = 0;
    for name in &names {
        let pull = pulls.iter().find(|it| string(&it["head"]["ref"]) == *name);
        let pull = pull.expect("each branch has its pull request");
        let is_merged = !pull["merged_at"].is_null();
        let state = if is_merged {
            "merged"
        } else if string(&pull["state"]) == "closed" {
            "closed"
        } else if pull["draft"] == true && !slips.misses_drafts {
            "draft"
        } else {
            "open"
        };
        done += u64::from(["merged", "closed"].contains(&state));
        // Branches are short: what is below their own commits is on main.
        let page = site.json("list_commits", &json!({"sha": name, "perPage": 20}));
        let log = page.as_array().cloned().unwrap_or_default();
        let author = string(&log[0]["author"]["login"]);
        let is_own = |commit: &&Value| main.iter().all(|it| it["sha"] != commit["sha"]);
        let mut own = log.iter().filter(is_own).count();
        if is_merged && slips.trusts_merges {
            own = 0;
        }
        let number = number(&pull["number"]);
        text.push_str(&format!(
            "| {name} | #{number} | {state} | {own} | {author} |\n"
        ));
    }
    text.push_str(&format!("\n{} branches, {done} may go.\n", names.len()));
    site.create_branch(BRANCH, "main");
    let file = ("docs/branches.md".to_owned(), text);
    site.push(BRANCH, "docs: branches that were left behind", &[file]);
    format!("{} branches are listed.", names.len())
}
