//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Reads no logs.
    pub reads_no_logs: bool,
    /// Labels drafts as well.
    pub labels_drafts: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/checks.md");
    let issue = site.issue_titled("Which pull requests are red by themselves?");
    let mut pulls = site.pulls("open");
    pulls.retain(|pull| pull["draft"] != true || slips.labels_drafts);
    pulls.sort_by_key(|pull| number(&pull["number"]));
    let mut lines = Vec::new();
    for pull in &pulls {
        let asked = json!({
            "workflow_id": "check.yml", "event": "pull_request", "branch": string(&pull["head"]["ref"]),
        });
        let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
        let run = runs.iter().find(|it| it["head_sha"] == pull["head"]["sha"]);
        let run = run.expect("each pull request has a run");
        let list = site.json(
            "list_workflow_jobs",
            &json!({"run_id": run["id"], "filter": "latest"}),
        );
        let jobs = list["jobs"]["jobs"].as_array().cloned().unwrap_or_default();
        let mut failed: Vec<&Value> = jobs
            .iter()
            .filter(|it| it["conclusion"] == "failure")
            .collect();
        failed.sort_by_key(|it| string(&it["name"]).to_owned());
        let mut label = if run["conclusion"] == "success" {
            "green"
        } else {
            "red"
        };
        for job in &failed {
            let asked = json!({"job_id": job["id"], "return_content": true});
            let log = site.json("get_job_logs", &asked);
            let is_lost = string(&log["logs_content"]).contains("received a shutdown signal");
            if is_lost && !slips.reads_no_logs {
                label = "rerun";
            }
        }
        let number = number(&pull["number"]);
        let names: Vec<&str> = failed.iter().map(|it| string(&it["name"])).collect();
        lines.push(if names.is_empty() {
            format!("- #{number}: {label}")
        } else {
            format!("- #{number}: {label} ({})", names.join(", "))
        });
        let mut all = labels(pull);
        all.push(label.to_owned());
        site.update_issue(number, &json!({"labels": all}));
    }
    let count = |word: &str| {
        let is = |line: &&String| line.split(['(', ' ']).nth(2) == Some(word);
        lines.iter().filter(is).count()
    };
    let sum = format!(
        "{} green, {} red, {} to run again.",
        count("green"),
        count("red"),
        count("rerun")
    );
    let text = format!("# Pull requests\n\n{}\n\n{sum}\n", lines.join("\n"));
    site.create_branch("desk/pulls", "main");
    let message = "docs: which pull requests are red";
    site.push("desk/pulls", message, &[("docs/pulls.md".to_owned(), text)]);
    let made = site.open_pull(message, "desk/pulls", "main", &format!("For #{issue}"));
    site.ask_for_review(made, "kadeyemi");
    site.update_issue(
        issue,
        &json!({"labels": ["checks", "red"], "assignees": ["kadeyemi"]}),
    );
    format!("{} pull requests have their labels.", pulls.len())
}
