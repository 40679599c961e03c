//! Fields that GitHub adds to a job: the labels of its runner, and the steps around those of the workflow.

use serde_json::{Value, json};

use crate::hub::{Job, Run, Step};
use crate::repository::RepositoryState;

/// Runner of a job if its workflow does not specify one.
const RUNNER: &str = "ubuntu-latest";
/// Names of the steps that GitHub adds before and after those of a workflow.
const FIRST: &str = "Set up job";
const LAST: &str = "Complete job";

impl RepositoryState {
    /// Labels of the runner of a job, from `runs-on` of its workflow.
    pub(super) fn labels_of_runner(&self, run: &Run, job: &Job) -> Value {
        let workflow = self.workflow_of(run);
        let labels = workflow.and_then(|it| it.runner_labels(&job.name));
        labels.map_or_else(|| json!([RUNNER]), |labels| json!(labels))
    }
}

/// Steps of a job, with those that GitHub adds. A job from GitHub's API already contains them.
pub(super) fn steps(job: &Job) -> Value {
    let has_all = job.steps.first().is_none_or(|step| step.name == FIRST);
    let view = |name: &str, status: &str, conclusion: Option<&str>, number: u64| {
        json!({
            "name": name,
            "status": status,
            "conclusion": conclusion,
            "number": number,
            "started_at": job.started_at,
            "completed_at": job.completed_at,
        })
    };
    let own = |step: &Step, shift: u64| {
        let number = step.number.saturating_add(shift);
        view(&step.name, &step.status, step.conclusion.as_deref(), number)
    };
    if has_all {
        return job.steps.iter().map(|step| own(step, 0)).collect();
    }
    let around = |name, number| view(name, &job.status, Some("success"), number);
    let last = job.steps.iter().map(|step| step.number).max().unwrap_or(0);
    let mut all = vec![around(FIRST, 1)];
    all.extend(job.steps.iter().map(|step| own(step, 1)));
    all.push(around(LAST, last.saturating_add(2)));
    all.into()
}
