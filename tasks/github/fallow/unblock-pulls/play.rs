//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "desk/green-again";
const TITLE: &str = "main: as the checks want it";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Labels by the runs of the old heads.
    pub trusts_old_runs: bool,
    /// Brings drafts up to date as well.
    pub updates_drafts: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    let issue = site.issue_titled("main is red");
    let mut pulls = site.pulls("open");
    mend(&mut site, issue);
    pulls.retain(|pull| pull["draft"] != true || slips.updates_drafts);
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let mut green = 0;
    for pull in &pulls {
        let id = number(&pull["number"]);
        let old = is_green(&mut site, string(&pull["head"]["ref"]));
        site.text("update_pull_request_branch", &json!({"pullNumber": id}));
        let new = is_green(&mut site, string(&pull["head"]["ref"]));
        let passed = if slips.trusts_old_runs { old } else { new };
        green += u64::from(passed);
        // In front: where a label stands is no difference, and the verifier must not make it one.
        let mut all = vec![if passed { "green" } else { "red" }.to_owned()];
        all.extend(labels(pull));
        site.update_issue(id, &json!({"labels": all}));
    }
    format!("{green} of {} pull requests are green.", pulls.len())
}

/// Whether the last run on a pull request has succeeded.
fn is_green(site: &mut RepoTools<'_>, branch: &str) -> bool {
    let asked = json!({
        "workflow_id": "check.yml", "event": "pull_request", "branch": branch, "perPage": 1,
    });
    let list = site.json("list_workflow_runs", &asked);
    list["workflow_runs"][0]["conclusion"] == "success"
}

fn mend(site: &mut RepoTools<'_>, issue: u64) {
    let asked = json!({"workflow_id": "check.yml", "event": "push", "branch": "main"});
    let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
    let green = runs.iter().find(|run| run["conclusion"] == "success");
    let green = string(&green.expect("main was green once")["head_sha"]).to_owned();
    let asked = json!({"run_id": runs[0]["id"], "failed_only": true, "return_content": true});
    let logs = site.json("get_job_logs", &asked);
    let logs = logs["logs"].as_array().cloned().unwrap_or_default();
    let mut files: Vec<(String, String)> = Vec::new();
    let lines: Vec<&str> = logs
        .iter()
        .flat_map(|log| string(&log["logs_content"]).lines())
        .collect();
    for line in lines {
        let Some((path, at)) = place(line) else {
            continue;
        };
        if files.iter().all(|(known, _)| *known != path) {
            let text = site.file_at("main", &path).unwrap_or_default();
            files.push((path.clone(), text));
        }
        let earlier = site.file_of(&green, &path).unwrap_or_default();
        let Some((_, text)) = files.iter_mut().find(|(known, _)| *known == path) else {
            continue;
        };
        let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
        let id = format!("{},", rows[at - 1].split(',').next().unwrap_or_default());
        rows[at - 1] = match earlier.lines().find(|row| row.starts_with(&id)) {
            Some(row) if path.ends_with(".csv") => row.to_owned(),
            _ => plain(&rows[at - 1]),
        };
        *text = rows.join("\n") + "\n";
    }
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &files);
    let pull = site.open_pull(TITLE, BRANCH, "main", &format!("Fixes #{issue}"));
    assert!(
        is_green(site, BRANCH),
        "it must be green before it is merged"
    );
    site.merge(pull, "squash", &format!("{TITLE} (#{pull})"), "");
}

/// The place that a line of a log names: the path and the line.
fn place(line: &str) -> Option<(String, usize)> {
    let (_, text) = line.split_once(' ')?;
    let mut parts = text.splitn(3, ':');
    let (path, line) = (parts.next()?, parts.next()?);
    Some((path.to_owned(), line.parse().ok()?))
}

/// A line without its one link.
fn plain(line: &str) -> String {
    match (line.split_once('['), line.split_once("](")) {
        (Some((start, _)), Some((words, rest))) => {
            let end = rest.split_once(')').map_or("", |(_, end)| end);
            format!("{start}{}{end}", &words[start.len() + 1..])
        }
        _ => line.to_owned(),
    }
}
