//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/incidents";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Leaves everything open.
    pub overlooks_reverts: bool,
    /// Gives the incident to whom merged the change.
    pub blames_merger: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "tern-harbour", "quay");
    let pulls = site.pulls("closed");
    let log = site.commits("main");
    let mut list = String::from(
        "# Incidents\n\n| Incident | Minutes | Caused by | Author | Taken back by |\n\
         |---|---|---|---|---|\n",
    );
    let (mut count, mut sum) = (0, 0);
    for issue in site.issues("OPEN") {
        let mut names = labels(&issue);
        if !names.iter().any(|label| label == "incident") {
            continue;
        }
        let body = string(&issue["body"]).to_owned();
        let issue = number(&issue["number"]);
        let find = |begin: &str| body.lines().find_map(|line| line.strip_prefix(begin));
        let id = find("Change: ").expect("each incident names a change");
        let cause = by_commit(&pulls, id).expect("a pull request brought it");
        let words = format!("This reverts commit {id}.");
        let undone = log
            .iter()
            .find(|it| string(&it["commit"]["message"]).contains(&words))
            .and_then(|it| by_commit(&pulls, string(&it["sha"])))
            .filter(|_| !slips.overlooks_reverts)
            .map(|it| number(&it["number"]));
        let cause_number = number(&cause["number"]);
        let author = if slips.blames_merger {
            let whole = site.json("get_pull_request", &json!({"pullNumber": cause_number}));
            string(&whole["merged_by"]["login"]).to_owned()
        } else {
            string(&cause["user"]["login"]).to_owned()
        };
        names.push("caused by change".to_owned());
        let mut change = json!({"assignees": [author]});
        let back = undone.map_or("-".to_owned(), |it| format!("#{it}"));
        if undone.is_some() {
            names.push("undone".to_owned());
            change["state"] = "closed".into();
            change["state_reason"] = "completed".into();
            site.comment(
                issue,
                &format!("Caused by #{cause_number}, taken back by {back}."),
            );
        } else {
            site.comment(issue, &format!("Caused by #{cause_number}."));
        }
        change["labels"] = names.into();
        site.update_issue(issue, &change);
        let minutes = find("Stood still for ").and_then(|it| it.split(' ').next());
        let minutes: u32 = minutes.and_then(|it| it.parse().ok()).unwrap_or_default();
        list.push_str(&format!(
            "| #{issue} | {minutes} | #{cause_number} | {author} | {back} |\n"
        ));
        count += 1;
        sum += minutes;
    }
    list.push_str(&format!("\n{count} incidents, {sum} minutes.\n"));
    site.create_branch(BRANCH, "main");
    let file = ("docs/incidents.md".to_owned(), list);
    site.push(BRANCH, "docs: what caused the incidents", &[file]);
    format!("{count} incidents have their cause.")
}

fn by_commit<'a>(pulls: &'a [Value], id: &str) -> Option<&'a Value> {
    pulls
        .iter()
        .find(|it| string(&it["merge_commit_sha"]) == id)
}
