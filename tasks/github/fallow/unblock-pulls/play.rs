//! Steps of the solution: it believes the logs of the runs, and the files as they were when main was green. Each wrong
//! solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/green-again";
const TITLE: &str = "Take back what breaks the rules of the tables";

/// Deviations from the solution.
#[derive(Default)]
pub struct Manner {
    /// Labels by the runs of the old heads.
    pub trusts_old_runs: bool,
    /// Brings drafts up to date as well.
    pub updates_drafts: bool,
    /// Brings branches up to date whose authors want them left alone.
    pub overlooks_requests: bool,
    /// Leaves a branch alone although its author has taken that back.
    pub overlooks_retractions: bool,
    /// Begins with the newest pull request.
    pub newest_first: bool,
    /// Closes the issue before the merge.
    pub closes_by_hand: bool,
    /// Lets the new runs run again.
    pub runs_again: bool,
    /// Deletes the logs of the new runs.
    pub deletes_logs: bool,
    /// Labels and writes when all branches are up to date.
    pub labels_last: bool,
    /// Commits file by file.
    pub by_file: bool,
    /// Labels the pull request that mends main like the earlier ones.
    pub labels_the_mend: bool,
}

pub fn play(tools: &mut Tools, manner: &Manner) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/checks.md")
        .expect("the rules are there");
    let issue = site.issue_titled("main is red");
    let mut pulls = site.pulls("open");
    mend(&mut site, issue, manner);
    pulls.retain(|pull| pull["draft"] != true || manner.updates_drafts);
    pulls.retain(|pull| !is_left_alone(&mut site, pull, manner));
    pulls.sort_by_key(|pull| number(&pull["number"]));
    if manner.newest_first {
        pulls.reverse();
    }
    let mut later = Vec::new();
    for pull in &pulls {
        let (id, branch) = (number(&pull["number"]), string(&pull["head"]["ref"]));
        let old = last_run(&mut site, branch);
        site.text("update_pull_request_branch", &json!({"pullNumber": id}));
        let new = last_run(&mut site, branch);
        if manner.runs_again {
            site.text("rerun_workflow_run", &json!({"run_id": new["id"]}));
        }
        let run = if manner.trusts_old_runs { old } else { new };
        later.push((pull, run));
        if !manner.labels_last {
            for (pull, run) in later.drain(..) {
                tell(&mut site, pull, &run, manner);
            }
        }
    }
    for (pull, run) in later {
        tell(&mut site, pull, &run, manner);
    }
    format!("{} pull requests are up to date.", pulls.len())
}

/// Whether the author has asked to leave the branch alone, and has not taken that back.
fn is_left_alone(site: &mut RepoTools<'_>, pull: &Value, manner: &Manner) -> bool {
    let author = string(&pull["user"]["login"]);
    let comments = site.comments(number(&pull["number"]));
    let mut theirs = comments
        .iter()
        .filter(|it| string(&it["user"]["login"]) == author);
    let asks = |it: &Value| string(&it["body"]).to_lowercase().contains("branch alone");
    let last = if manner.overlooks_retractions {
        theirs.next()
    } else {
        theirs.next_back()
    };
    last.is_some_and(asks) && !manner.overlooks_requests
}

/// The last run on the branch of a pull request.
fn last_run(site: &mut RepoTools<'_>, branch: &str) -> Value {
    let asked = json!({
        "workflow_id": "check.yml", "event": "pull_request", "branch": branch, "perPage": 1,
    });
    let mut list = site.json("list_workflow_runs", &asked);
    list["workflow_runs"][0].take()
}

/// Labels a pull request, and tells its author what the log of its run complains of.
fn tell(site: &mut RepoTools<'_>, pull: &Value, run: &Value, manner: &Manner) {
    let (id, passed) = (number(&pull["number"]), run["conclusion"] == "success");
    // In front: where a label stands is no difference, and the verifier must not make it one.
    let mut all = vec![if passed { "green" } else { "red" }.to_owned()];
    all.extend(labels(pull));
    site.update_issue(id, &json!({"labels": all}));
    if !passed {
        let branch = string(&pull["head"]["ref"]).to_owned();
        let mut text = String::from("The checks of this pull request are still red:\n");
        for line in complaints(site, run) {
            let row = match place(&line) {
                Some((path, at)) => {
                    let file = site.file_at(&branch, &path).unwrap_or_default();
                    let row = file
                        .lines()
                        .nth(at - 1)
                        .unwrap_or_default()
                        .split(',')
                        .next();
                    row.unwrap_or_default().to_owned()
                }
                None => continue,
            };
            let (_, words) = line.split_once(' ').unwrap_or_default();
            text.push_str(&format!("\n- `{words}` (the row of {row})"));
        }
        site.comment(id, &text);
    }
    if manner.deletes_logs {
        site.text("delete_workflow_run_logs", &json!({"run_id": run["id"]}));
    }
}

/// The lines of the logs of the jobs that failed in a run.
fn complaints(site: &mut RepoTools<'_>, run: &Value) -> Vec<String> {
    let asked = json!({"run_id": run["id"], "failed_only": true, "return_content": true});
    let logs = site.json("get_job_logs", &asked);
    let logs = logs["logs"].as_array().into_iter().flatten();
    let lines = logs.flat_map(|log| string(&log["logs_content"]).lines());
    lines
        .filter(|line| place(line).is_some())
        .map(str::to_owned)
        .collect()
}

fn mend(site: &mut RepoTools<'_>, issue: u64, manner: &Manner) {
    let asked = json!({"workflow_id": "check.yml", "event": "push", "branch": "main"});
    let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
    let green = runs.iter().find(|run| run["conclusion"] == "success");
    let green = string(&green.expect("main was green once")["head_sha"]).to_owned();
    let mut files: Vec<(String, String)> = Vec::new();
    for line in complaints(site, &runs[0]) {
        let Some((path, at)) = place(&line) else {
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
    if manner.by_file {
        for (path, text) in &files {
            let file = site.json(
                "get_file_contents",
                &json!({"path": folder(path), "ref": BRANCH}),
            );
            let entries = file.as_array().into_iter().flatten();
            let mut entry = entries.filter(|it| string(&it["path"]) == path);
            let sha = string(&entry.next().expect("the file is there")["sha"]).to_owned();
            let message = format!("{path}: as it was");
            let asked = json!({"branch": BRANCH, "path": path, "content": text, "message": message, "sha": sha});
            site.text("create_or_update_file", &asked);
        }
    } else {
        site.push(BRANCH, TITLE, &files);
    }
    let pull = site.open_pull(TITLE, BRANCH, "main", &format!("Fixes #{issue}"));
    if manner.labels_the_mend {
        site.update_issue(pull, &json!({"labels": ["checks"]}));
    }
    let run = last_run(site, BRANCH);
    assert!(
        run["conclusion"] == "success",
        "it must be green before it is merged"
    );
    if manner.closes_by_hand {
        site.update_issue(
            issue,
            &json!({"state": "closed", "state_reason": "completed"}),
        );
    }
    site.merge(pull, "squash", &format!("{TITLE} (#{pull})"), "");
}

/// The folder of a file, as the tool wants it.
fn folder(path: &str) -> String {
    path.rsplit_once('/')
        .map_or("/".to_owned(), |(folder, _)| format!("{folder}/"))
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
