//! Workflows with their runs, jobs and logs.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::Call::{Refused, Rest, Steps, Tool};
use super::site::{Site, World};
use super::{BOTH, Growth, NEW, OLD, V0, more_worlds};
use crate::measure::{Cost, cost};

/// Ids of the first run and its first job.
const RUN: u64 = 1_001;
const JOB: u64 = 500_001;

pub(super) fn all() -> Vec<Growth> {
    let growth = |name, size, make| Growth {
        name,
        size,
        make,
        calls: calls(),
    };
    vec![
        growth(
            "runs",
            1_000,
            more_worlds::runs as fn(&std::path::Path, usize),
        ),
        growth("jobs", 1_000, more_worlds::jobs),
        growth("logs", 5_000, more_worlds::logs),
        growth("workflows", 100, more_worlds::workflows),
        growth("jobs_of_workflow", 300, more_worlds::jobs_of_workflow),
    ]
}

/// Tools that only read one run.
const OF_A_RUN: [&str; 5] = [
    "get_workflow_run",
    "get_workflow_run_logs",
    "get_workflow_run_usage",
    "list_workflow_jobs",
    "list_workflow_run_artifacts",
];

fn calls() -> Vec<super::Call> {
    let mut calls: Vec<super::Call> = OF_A_RUN
        .map(|tool| Tool(OLD, tool, |_| json!({"run_id": RUN, "perPage": 100})))
        .into();
    calls.extend([
        Tool(OLD, "list_workflows", |_| json!({"perPage": 100})),
        Tool(
            OLD,
            "list_workflow_runs",
            |_| json!({"workflow_id": "check.yml", "perPage": 100, "status": "failure"}),
        ),
        Tool(
            BOTH,
            "get_job_logs",
            |_| json!({"job_id": JOB, "return_content": true, "tail_lines": 100_000}),
        ),
        Tool(
            BOTH,
            "get_job_logs",
            |_| json!({"run_id": RUN, "failed_only": true, "return_content": true, "tail_lines": 100_000}),
        ),
        Refused(OLD, "download_workflow_run_artifact", |_| json!({"artifact_id": 1})),
        Refused(OLD, "cancel_workflow_run", |_| json!({"run_id": RUN})),
        Tool(NEW, "actions_list", |_| json!({"method": "list_workflows"})),
        Tool(
            NEW,
            "actions_list",
            |_| json!({"method": "list_workflow_runs", "resource_id": "check.yml", "per_page": 100}),
        ),
        Tool(
            NEW,
            "actions_list",
            |_| json!({"method": "list_workflow_jobs", "resource_id": "1001", "per_page": 100}),
        ),
        Tool(
            NEW,
            "actions_get",
            |_| json!({"method": "get_workflow", "resource_id": "check.yml"}),
        ),
        Tool(
            NEW,
            "actions_get",
            |_| json!({"method": "get_workflow_run", "resource_id": "1001"}),
        ),
        Rest("GET", |_| "/actions/runs?per_page=100".to_owned(), |_| Value::Null),
        Rest("GET", |_| "/commits/main/check-runs".to_owned(), |_| Value::Null),
        // Calls that start workflows.
        Steps(BOTH, |_| {
            let file = |text: &str| {
                let files = json!([{"path": "a.txt", "content": text}]);
                json!({"branch": "run-@N", "message": "Add", "files": files})
            };
            let branch = json!({"branch": "run-@N", "from_branch": "main"});
            vec![("create_branch", branch), ("push_files", file("a"))]
        }),
        Tool(OLD, "run_workflow", |_| json!({"workflow_id": "check.yml", "ref": "main"})),
        Tool(OLD, "rerun_workflow_run", |_| json!({"run_id": RUN + 1})),
        Tool(OLD, "rerun_failed_jobs", |_| json!({"run_id": RUN + 2})),
        Tool(
            NEW,
            "actions_run_trigger",
            |_| json!({"method": "rerun_workflow_run", "run_id": RUN + 1}),
        ),
        Tool(
            NEW,
            "actions_run_trigger",
            |_| json!({"method": "run_workflow", "workflow_id": "check.yml", "ref": "main"}),
        ),
        Tool(OLD, "delete_workflow_run_logs", |_| json!({"run_id": RUN + 3})),
    ]);
    calls
}

pub(super) fn trials() -> Vec<Trial> {
    vec![Trial::test(
        "github::pulls_of_one_head_are_merged_once",
        pulls_of_one_head_are_merged_once,
    )]
}

/// Pushes to the head of many pull requests, whose bases are at one commit. The merge must be computed once.
fn pulls_of_one_head_are_merged_once() -> Result<(), Failed> {
    const PULLS: usize = 60;
    let push = |pulls: usize| -> Cost {
        let world = World::new(|dir| more_worlds::pulls_of_one_head(dir, pulls));
        let site = Site::new(&world, V0);
        let files = json!([{"path": "new.txt", "content": "x"}]);
        let push = json!({"branch": "topic", "message": "Change", "files": files});
        cost(|| site.tool("push_files", &push))
    };
    let cheapest = |pulls: usize| {
        let costs = [push(pulls), push(pulls), push(pulls)];
        costs.into_iter().min_by_key(|cost| cost.time).unwrap()
    };
    let (one, many) = (cheapest(1), cheapest(PULLS));
    if many.time < 6 * one.time {
        Ok(())
    } else {
        Err(Failed::from(format!(
            "a push to the head of one pull request takes {one}, to that of {PULLS} takes {many}"
        )))
    }
}
