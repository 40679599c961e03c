//! What continuous integration has run: `runs.json`.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::Time;

/// The first ids of runs and jobs, less one: far from those of anything else.
const FIRST_RUN: u64 = 18_000_000_000;
const FIRST_JOB: u64 = 52_000_000_000;

fn one() -> u64 {
    1
}

fn completed() -> String {
    "completed".to_owned()
}

/// `runs.json`: the runs of workflows and their jobs, with the names that GitHub's REST API gives to things.
///
/// Keys that are not known here are kept and shown: a document may be what that API has answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Runs {
    /// The runs, by id.
    pub workflow_runs: Vec<Run>,
    /// The jobs of all attempts, by id.
    pub jobs: Vec<Job>,
    /// What else the document says.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One run of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id.
    pub id: u64,
    /// The name of the workflow; its path where it has none.
    #[serde(default)]
    pub name: String,
    /// The file of the workflow, as in `.github/workflows/check.yml`.
    #[serde(default)]
    pub path: String,
    /// Counted from 1 over the runs of its workflow.
    #[serde(default = "one")]
    pub run_number: u64,
    /// Counted from 1; another attempt takes the place of the one before.
    #[serde(default = "one")]
    pub run_attempt: u64,
    /// What made it run: `push`, `pull_request` or `workflow_dispatch`.
    #[serde(default)]
    pub event: String,
    /// What was done, in a line: the title of a commit or of a pull request.
    #[serde(default)]
    pub display_title: String,
    /// The branch; for a pull request, its head.
    #[serde(default)]
    pub head_branch: String,
    /// The commit; for a pull request, the tip of its head.
    #[serde(default)]
    pub head_sha: String,
    /// What the commit is compared with: the tip of the branch before a push, the base of a pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// `completed`, for all that run in a world.
    #[serde(default = "completed")]
    pub status: String,
    /// `success` or `failure`; worlds may have others of GitHub's, such as `cancelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// The login of who made it run.
    #[serde(
        default,
        deserialize_with = "login",
        skip_serializing_if = "Option::is_none"
    )]
    pub actor: Option<String>,
    /// The numbers of the pull requests that it is about.
    #[serde(
        default,
        deserialize_with = "numbers",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub pull_requests: Vec<u64>,
    /// When it was first run.
    #[serde(default)]
    pub created_at: Time,
    /// When its last attempt was over.
    #[serde(default)]
    pub updated_at: Time,
    /// What else a document says.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One job of an attempt at a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Its id.
    pub id: u64,
    /// The run that it belongs to.
    pub run_id: u64,
    /// The attempt that it belongs to.
    #[serde(default = "one")]
    pub run_attempt: u64,
    /// Its name.
    pub name: String,
    /// As that of a run.
    #[serde(default = "completed")]
    pub status: String,
    /// As that of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// When it began.
    #[serde(default)]
    pub started_at: Time,
    /// When it was over.
    #[serde(default)]
    pub completed_at: Time,
    /// Its steps, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// All that its steps printed; absent where it was deleted or never kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// What else a document says.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// One step of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// As that of a run.
    #[serde(default = "completed")]
    pub status: String,
    /// `success`, `failure` or `skipped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<String>,
    /// Counted from 1.
    pub number: u64,
}

impl Runs {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.workflow_runs.is_empty() && self.jobs.is_empty() && self.more.is_empty()
    }

    /// The run of an id.
    pub(crate) fn run(&self, id: u64) -> Option<&Run> {
        self.workflow_runs.iter().find(|run| run.id == id)
    }

    pub(crate) fn run_mut(&mut self, id: u64) -> Option<&mut Run> {
        self.workflow_runs.iter_mut().find(|run| run.id == id)
    }

    /// The job of an id.
    pub(crate) fn job(&self, id: u64) -> Option<&Job> {
        self.jobs.iter().find(|job| job.id == id)
    }

    /// The jobs of the last attempt at a run.
    pub(crate) fn latest_jobs(&self, run: &Run) -> impl Iterator<Item = &Job> {
        let (id, attempt) = (run.id, run.run_attempt);
        let jobs = self.jobs.iter();
        jobs.filter(move |job| job.run_id == id && job.run_attempt == attempt)
    }

    /// The runs on a commit, of each workflow and event the last one, in the order of their ids.
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

    /// The id and the number of the next run of a workflow.
    pub(crate) fn next_run(&self, path: &str) -> (u64, u64) {
        let ids = self.workflow_runs.iter().map(|run| run.id);
        let same = self.workflow_runs.iter().filter(|run| run.path == path);
        let number = same.map(|run| run.run_number).max().unwrap_or(0);
        (ids.max().unwrap_or(0).max(FIRST_RUN) + 1, number + 1)
    }

    /// The id of the next job.
    pub(crate) fn next_job(&self) -> u64 {
        let ids = self.jobs.iter().map(|job| job.id);
        ids.max().unwrap_or(0).max(FIRST_JOB) + 1
    }

    /// In the order of ids, as the final state has them.
    pub(crate) fn sort(&mut self) {
        self.workflow_runs.sort_by_key(|run| run.id);
        self.jobs.sort_by_key(|job| job.id);
    }
}

/// A user given by the login, or as the object that GitHub answers.
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

/// Pull requests given by their numbers, or as the objects that GitHub answers.
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
