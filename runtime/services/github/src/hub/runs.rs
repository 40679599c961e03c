//! Workflow runs and their jobs: `runs.json`.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::Time;

/// Id before the first id of a run or a job. The ranges are far from ids of other kinds.
const FIRST_RUN: u64 = 18_000_000_000;
const FIRST_JOB: u64 = 52_000_000_000;

fn one() -> u64 {
    1
}

fn completed() -> String {
    "completed".to_owned()
}

/// Content of `runs.json`: workflow runs and their jobs, with the key names of GitHub's REST API.
///
/// Unknown keys are kept and shown, so that a document may be a response of that API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Runs {
    /// Runs, by id.
    pub workflow_runs: Vec<Run>,
    /// Jobs of all attempts, by id.
    pub jobs: Vec<Job>,
    /// Unknown keys of the document.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Run of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Run id.
    pub id: u64,
    /// Name of the workflow, or its path if it has no name.
    #[serde(default)]
    pub name: String,
    /// Path of the workflow file, such as `.github/workflows/check.yml`.
    #[serde(default)]
    pub path: String,
    /// Number of the run, counted from 1 for each workflow.
    #[serde(default = "one")]
    pub run_number: u64,
    /// Number of the attempt, counted from 1. A new attempt replaces the previous one.
    #[serde(default = "one")]
    pub run_attempt: u64,
    /// Event that triggered the run: `push`, `pull_request` or `workflow_dispatch`.
    #[serde(default)]
    pub event: String,
    /// Title of the commit or pull request that triggered the run.
    #[serde(default)]
    pub display_title: String,
    /// Branch. For a pull request, its head.
    #[serde(default)]
    pub head_branch: String,
    /// Commit. For a pull request, the tip of its head.
    #[serde(default)]
    pub head_sha: String,
    /// Commit for comparison: the tip of the branch before a push, or the base of a pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Status. All runs of a world are `completed`.
    #[serde(default = "completed")]
    pub status: String,
    /// Conclusion: `success` or `failure`. Documents of a world may contain others, such as `cancelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// Login of the user who triggered the run.
    #[serde(
        default,
        deserialize_with = "login",
        skip_serializing_if = "Option::is_none"
    )]
    pub actor: Option<String>,
    /// Numbers of the pull requests to which the run belongs.
    #[serde(
        default,
        deserialize_with = "numbers",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub pull_requests: Vec<u64>,
    /// Start of the first attempt.
    #[serde(default)]
    pub created_at: Time,
    /// End of the last attempt.
    #[serde(default)]
    pub updated_at: Time,
    /// Unknown keys of the document.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Job of one attempt of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Job id.
    pub id: u64,
    /// Id of the run.
    pub run_id: u64,
    /// Number of the attempt.
    #[serde(default = "one")]
    pub run_attempt: u64,
    /// Name.
    pub name: String,
    /// Status, with the values of a run.
    #[serde(default = "completed")]
    pub status: String,
    /// Conclusion, with the values of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// Start time.
    #[serde(default)]
    pub started_at: Time,
    /// End time.
    #[serde(default)]
    pub completed_at: Time,
    /// Steps, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Output of all steps. Absent if it was deleted or never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Unknown keys of the document.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Step of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Name.
    pub name: String,
    /// Status, with the values of a run.
    #[serde(default = "completed")]
    pub status: String,
    /// Conclusion: `success`, `failure` or `skipped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// Number, counted from 1.
    pub number: u64,
}

impl Runs {
    /// Reports whether the document would be empty.
    pub fn is_empty(&self) -> bool {
        self.workflow_runs.is_empty() && self.jobs.is_empty() && self.more.is_empty()
    }

    /// Run with an id.
    pub(crate) fn run(&self, id: u64) -> Option<&Run> {
        self.workflow_runs.iter().find(|run| run.id == id)
    }

    pub(crate) fn run_mut(&mut self, id: u64) -> Option<&mut Run> {
        self.workflow_runs.iter_mut().find(|run| run.id == id)
    }

    /// Job with an id.
    pub(crate) fn job(&self, id: u64) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id == id)
    }

    /// Jobs of the last attempt of a run.
    pub(crate) fn latest_jobs(&self, run: &Run) -> impl Iterator<Item = &Job> {
        let (id, attempt) = (run.id, run.run_attempt);
        let jobs = self.jobs.iter();
        jobs.filter(move |job| job.run_id == id && job.run_attempt == attempt)
    }

    /// Runs on a commit, in the order of their ids. Only the last run of each workflow and event is included.
    pub(crate) fn latest_on(&self, sha: &str) -> Vec<&Run> {
        let on: Vec<&Run> = self
            .workflow_runs
            .iter()
            .filter(|run| run.head_sha == sha)
            .collect();
        let mut newest: HashMap<(&str, &str), u64> = HashMap::new();
        for run in &on {
            let id = newest.entry((&run.path, &run.event)).or_default();
            *id = run.id.max(*id);
        }
        let is_last =
            |run: &&Run| newest.get(&(run.path.as_str(), run.event.as_str())) == Some(&run.id);
        let mut last: Vec<&Run> = on.iter().copied().filter(is_last).collect();
        last.sort_by_key(|run| run.id);
        last
    }

    /// Assigns the id and the number of the next run of a workflow.
    pub(crate) fn next_run(&self, path: &str) -> (u64, u64) {
        let ids = self.workflow_runs.iter().map(|run| run.id);
        let same = self.workflow_runs.iter().filter(|run| run.path == path);
        let number = same.map(|run| run.run_number).max().unwrap_or(0);
        (ids.max().unwrap_or(0).max(FIRST_RUN) + 1, number + 1)
    }

    /// Assigns the id of the next job.
    pub(crate) fn next_job(&self) -> u64 {
        let ids = self.jobs.iter().map(|job| job.id);
        ids.max().unwrap_or(0).max(FIRST_JOB) + 1
    }

    /// Sorts runs and jobs by id, which is their order in a final state.
    pub(crate) fn sort(&mut self) {
        self.workflow_runs.sort_by_key(|run| run.id);
        self.jobs.sort_by_key(|job| job.id);
    }
}

/// Deserializes a user from the login, or from an object of GitHub's API.
fn login<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Login(String),
        User { login: String },
    }
    let given = Option::<Given>::deserialize(deserializer)?;
    Ok(given.map(|given| match given {
        Given::Login(login) | Given::User { login } => login,
    }))
}

/// Deserializes pull requests from their numbers, or from objects of GitHub's API.
fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Number(u64),
        Pull { number: u64 },
    }
    let given = Option::<Vec<Given>>::deserialize(deserializer)?;
    let number = |given| match given {
        Given::Number(number) | Given::Pull { number } => number,
    };
    Ok(given.unwrap_or_default().into_iter().map(number).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_github_are_read_and_nothing_is_lost() {
        let document = json!({
            "total_count": 1,
            "workflow_runs": [{
                "id": 7, "head_sha": "ab", "conclusion": null, "actor": {"login": "ann", "id": 3},
                "pull_requests": [{"number": 4, "id": 9}], "created_at": "2025-01-01T00:00:00Z",
                "check_suite_id": 12,
            }],
        });
        let runs: Runs = serde_json::from_value(document).unwrap();
        let run = &runs.workflow_runs[0];
        assert_eq!(run.actor.as_deref(), Some("ann"));
        assert_eq!(
            (run.pull_requests.as_slice(), run.run_attempt),
            ([4].as_slice(), 1)
        );
        assert_eq!(run.more["check_suite_id"], 12);
        assert_eq!(runs.more["total_count"], 1);
        let again: Runs = serde_json::from_value(serde_json::to_value(&runs).unwrap()).unwrap();
        assert_eq!(again, runs);
    }

    #[test]
    fn of_several_runs_on_a_commit_the_last_of_each_workflow_and_event_counts() {
        let run = |id: u64, path: &str, event: &str| Run {
            id,
            path: path.to_owned(),
            event: event.to_owned(),
            head_sha: "ab".to_owned(),
            ..Run::default()
        };
        let runs = Runs {
            workflow_runs: vec![
                run(3, "a", "push"),
                run(1, "a", "push"),
                run(2, "a", "pull_request"),
                run(4, "b", "push"),
            ],
            ..Runs::default()
        };
        let ids: Vec<u64> = runs.latest_on("ab").iter().map(|run| run.id).collect();
        assert_eq!(ids, [2, 3, 4]);
        assert!(runs.latest_on("cd").is_empty());
        assert_eq!(runs.next_run("a"), (FIRST_RUN + 1, 1));
    }
}
