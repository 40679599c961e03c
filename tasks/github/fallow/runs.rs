//! Runs of the workflow, read from a tree.

#![allow(dead_code, reason = "each verifier takes what it needs of it")]

use std::collections::BTreeMap;

use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Tree, Verifier};

/// A run of the workflow.
#[derive(PartialEq, Eq)]
pub struct Run {
    pub number: u64,
    pub attempt: u64,
    pub event: String,
    pub branch: String,
    pub head: String,
    pub created: String,
    pub is_red: bool,
    /// The jobs of the last attempt.
    pub jobs: Vec<Job>,
}

#[derive(PartialEq, Eq)]
pub struct Job {
    pub name: String,
    pub is_red: bool,
    pub log: String,
}

/// All runs, the oldest first.
pub fn runs(tree: &Tree) -> Vec<Run> {
    let document = tree.file("runs.json").json().required();
    let list = |key: &str| document[key].as_array().map_or(&[][..], Vec::as_slice);
    let key = |value: &Value, id: &str| (value[id].as_u64(), value["run_attempt"].as_u64());
    let mut jobs: BTreeMap<_, Vec<&Value>> = BTreeMap::new();
    for job in list("jobs") {
        jobs.entry(key(job, "run_id")).or_default().push(job);
    }
    let run = |run: &Value| {
        let text = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let last = jobs.get(&key(run, "id"));
        let job = |job: &&Value| Job {
            name: job["name"].as_str().unwrap_or_default().to_owned(),
            is_red: job["conclusion"] == "failure",
            log: job["log"].as_str().unwrap_or_default().to_owned(),
        };
        Run {
            number: run["run_number"].as_u64().unwrap_or_default(),
            attempt: run["run_attempt"].as_u64().unwrap_or_default(),
            event: text("event"),
            branch: text("head_branch"),
            head: text("head_sha"),
            created: text("created_at"),
            is_red: run["conclusion"] == "failure",
            jobs: last.into_iter().flatten().map(job).collect(),
        }
    };
    list("workflow_runs").iter().map(run).collect()
}

/// Whether the last run of an event on a commit has succeeded; none where there is none.
pub fn last_on(runs: &[Run], sha: &str, event: &str) -> Option<bool> {
    let mut on = runs.iter().filter(|it| it.head == sha && it.event == event);
    on.next_back().map(|it| !it.is_red)
}

/// Whether no run that is new has been run again or has lost a log.
pub fn new_are_whole(before: &[Run], after: &[Run]) -> Condition {
    let new = after.get(before.len()..).unwrap_or_default();
    for run in new {
        let number = run.number;
        if run.attempt != 1 {
            return Condition::fail(format!(
                "expected run {number} to run once, found attempt {}",
                run.attempt
            ));
        }
        if run.jobs.is_empty() || run.jobs.iter().any(|job| job.log.is_empty()) {
            return Condition::fail(format!(
                "expected the logs of run {number}, found some deleted"
            ));
        }
    }
    Condition::pass(format!("{} new runs, each with its logs", new.len()))
}

/// Checks that every run of the starting world is there still, as it was: none has been run again or lost a log.
pub fn check_kept(task: &mut Verifier) {
    let kept = are_kept(&runs(&task.start()), &runs(&task.end()));
    task.check("what has run is as it was", kept);
}

/// Whether the earlier runs are there as they were.
pub fn are_kept(before: &[Run], after: &[Run]) -> Condition {
    Condition::when(
        after.starts_with(before),
        "expected the earlier runs and their logs as they were",
    )
}

impl Run {
    /// Whether it is one of the branch that others begin at.
    pub fn is_of_main(&self) -> bool {
        self.event == "push" && self.branch == "main"
    }

    /// Whether it is the one of a pull request with this head.
    pub fn is_of_head(&self, sha: &str) -> bool {
        self.event == "pull_request" && self.head == sha
    }
}
