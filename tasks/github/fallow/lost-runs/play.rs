//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Lets all that failed run again.
    pub runs_all_again: bool,
    /// Merges with merge commits.
    pub makes_merges: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/checks.md");
    let mut pulls = site.pulls("open");
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let mut again = Vec::new();
    for pull in &pulls {
        let asked = json!({
            "workflow_id": "check.yml", "event": "pull_request", "branch": string(&pull["head"]["ref"]),
        });
        let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
        let run = runs.iter().find(|it| it["head_sha"] == pull["head"]["sha"]);
        let run = run.expect("each pull request has a run").clone();
        if run["conclusion"] == "success" {
            continue;
        }
        let logs = logs(&mut site, &run);
        let is_lost = logs
            .iter()
            .any(|(_, log)| log.contains("received a shutdown signal"));
        if is_lost || slips.runs_all_again {
            site.text("rerun_failed_jobs", &json!({"run_id": run["id"]}));
            if is_lost {
                again.push((pull, run));
            }
        }
    }
    let mut merged = 0;
    for (pull, run) in &again {
        let (pull, id) = (*pull, number(&pull["number"]));
        let run = site.json("get_workflow_run", &json!({"run_id": run["id"]}));
        let mut all = labels(pull);
        if run["conclusion"] != "success" {
            let mut lines = Vec::new();
            for (job, log) in logs(&mut site, &run) {
                lines.extend(failed_step(&job, &log));
            }
            lines.sort();
            site.comment(id, &lines.join("\n"));
            all.push("red".to_owned());
            site.update_issue(id, &json!({"labels": all}));
        } else if is_approved(&mut site, id) {
            let title = format!("{} (#{id})", string(&pull["title"]));
            let text = format!("Checked-by: run {}", run["run_number"]);
            let method = if slips.makes_merges {
                "merge"
            } else {
                "squash"
            };
            site.merge(id, method, &title, &text);
            merged += 1;
        } else {
            all.push("green".to_owned());
            site.update_issue(id, &json!({"labels": all}));
        }
    }
    format!(
        "{} runs were run again, {merged} pull requests are merged.",
        again.len()
    )
}

/// The failed jobs of the last attempt at a run, with their logs.
fn logs(site: &mut RepoTools<'_>, run: &Value) -> Vec<(Value, String)> {
    let asked = json!({"run_id": run["id"], "filter": "latest"});
    let list = site.json("list_workflow_jobs", &asked);
    let jobs = list["jobs"]["jobs"].as_array().cloned().unwrap_or_default();
    let failed = jobs.into_iter().filter(|it| it["conclusion"] == "failure");
    failed
        .map(|job| {
            let asked = json!({"job_id": job["id"], "return_content": true});
            let log = site.json("get_job_logs", &asked);
            (job, string(&log["logs_content"]).to_owned())
        })
        .collect()
}

/// The step of a job that failed, with the first line that it printed.
fn failed_step(job: &Value, log: &str) -> Option<String> {
    let steps = job["steps"].as_array()?;
    let step = steps.iter().find(|it| it["conclusion"] == "failure")?;
    let step = string(&step["name"]);
    let mut lines = log
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(_, text)| text);
    lines.find(|text| *text == format!("##[group]Run {step}"))?;
    lines.find(|text| *text == "##[endgroup]")?;
    Some(format!(
        "{} / {step}: {}",
        string(&job["name"]),
        lines.next()?
    ))
}

fn is_approved(site: &mut RepoTools<'_>, pull: u64) -> bool {
    let reviews = site.json("get_pull_request_reviews", &json!({"pullNumber": pull}));
    let mut last: Vec<(String, String)> = Vec::new();
    for review in reviews.as_array().into_iter().flatten() {
        let state = string(&review["state"]);
        if state != "COMMENTED" {
            let login = string(&review["user"]["login"]).to_owned();
            last.retain(|(it, _)| *it != login);
            last.push((login, state.to_owned()));
        }
    }
    let any = |wanted: &str| last.iter().any(|(_, state)| state == wanted);
    any("APPROVED") && !any("CHANGES_REQUESTED")
}
