//! How the solution goes about it; the wrong ones slip on one rule each.

#[path = "../reading.rs"]
mod reading;

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const TITLE: &str = "what I found this winter";
const AREAS: [&str; 3] = ["words", "docs", "library"];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes over files of other areas with a commit.
    pub whole_commits: bool,
    /// Makes one commit for each area.
    pub one_commit_each: bool,
}

/// A commit of the whole: its message, and the files after it with their areas.
struct Step {
    message: String,
    files: Vec<(&'static str, String, String)>,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/contributing.md");
    let pulls = site.pulls("open");
    let whole = pulls.iter().find(|it| string(&it["title"]) == TITLE);
    let whole = whole.expect("it is open");
    let (id, head) = (number(&whole["number"]), string(&whole["head"]["ref"]));
    let reviews = site.json("get_pull_request_reviews", &json!({"pullNumber": id}));
    let reviewer = string(&reviews[0]["user"]["login"]);
    let steps = steps(tools, head);
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");

    let mut told = Vec::new();
    for (at, area) in AREAS.into_iter().enumerate() {
        let branch = format!("{head}-{area}");
        site.create_branch(&branch, "main");
        let mut together: BTreeMap<String, String> = BTreeMap::new();
        let mut commits: Vec<(&str, Vec<(String, String)>)> = Vec::new();
        for step in &steps {
            if step.files.iter().all(|file| file.0 != area) {
                continue;
            }
            let files = step
                .files
                .iter()
                .filter(|it| slips.whole_commits || it.0 == area);
            let files: Vec<(String, String)> = files
                .map(|(_, path, text)| (path.clone(), text.clone()))
                .collect();
            together.extend(files.clone());
            commits.push((&step.message, files));
        }
        if slips.one_commit_each {
            commits = vec![(commits[0].0, together.into_iter().collect())];
        }
        for (message, files) in &commits {
            site.push(&branch, message, files);
        }
        let body = format!("Part {} of {} of #{id}.", at + 1, AREAS.len());
        let own = site.open_pull(&format!("{area}: {TITLE}"), &branch, "main", &body);
        site.ask_for_review(own, reviewer);
        site.update_issue(own, &json!({"labels": [area]}));
        told.push(format!("- {area}: #{own} ({})", commits.len()));
    }
    site.comment(id, &told.join("\n"));
    let mut names = labels(whole);
    names.retain(|label| label != "needs work");
    site.update_issue(id, &json!({"labels": names}));
    site.update_pull(id, &json!({"state": "closed"}));
    format!("#{id} is divided into {} parts.", told.len())
}

/// The commits of the whole, the oldest first.
fn steps(tools: &mut Tools, head: &str) -> Vec<Step> {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    let main = site.commits("main");
    let page = site.json("list_commits", &json!({"sha": head, "perPage": 20}));
    let log = page.as_array().cloned().unwrap_or_default();
    let is_on_main = |commit: &&Value| main.iter().any(|it| it["sha"] == commit["sha"]);
    let mut own: Vec<Value> = Vec::new();
    for commit in log.iter().take_while(|it| !is_on_main(it)) {
        own.push(site.commit(string(&commit["sha"])));
    }
    let step = |commit: &Value| {
        let files = commit["files"].as_array().into_iter().flatten();
        let files = files.map(|file| {
            let path = string(&file["filename"]).to_owned();
            let text = reading::read(tools, head, string(&commit["sha"]), &path);
            (area(&path), path, text)
        });
        Step {
            files: files.collect(),
            message: string(&commit["commit"]["message"]).trim_end().to_owned(),
        }
    };
    own.iter().rev().map(step).collect()
}

fn area(path: &str) -> &'static str {
    if path.starts_with("lib/fortnight/words/") || path.starts_with("test/cases/") {
        "words"
    } else if path.starts_with("docs/") || (!path.contains('/') && path.ends_with(".md")) {
        "docs"
    } else {
        "library"
    }
}
