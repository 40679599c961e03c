//! Results of the checks of a commit: jobs of workflows, and commit statuses set by programs.

use super::RepositoryState;
use crate::git::ObjectId;
use crate::hub::{Job, Run};

impl RepositoryState {
    /// Last run of each workflow and event on a commit, with the jobs of its last attempt.
    pub(crate) fn checked(&self, commit: ObjectId) -> Vec<(&Run, Vec<&Job>)> {
        let runs = &self.hub.runs;
        let with_jobs = |run| (run, runs.latest_jobs(run).collect());
        let latest = runs.latest_on(&commit.to_string());
        latest.into_iter().map(with_jobs).collect()
    }

    /// Required checks of a branch that are missing on a commit, and those that failed.
    pub(crate) fn unmet_checks(&self, branch: &str, commit: ObjectId) -> (Vec<&str>, Vec<&str>) {
        let (mut missing, mut failed) = (Vec::new(), Vec::new());
        let rules = self.hub.repository.protected_branches.get(branch);
        let required = rules.map_or(&[][..], |rules| &rules.required_checks);
        if required.is_empty() {
            return (missing, failed);
        }
        let (checked, sha) = (self.checked(commit), commit.to_string());
        for name in required {
            let jobs = checked.iter().flat_map(|(_, jobs)| jobs);
            let mut found = jobs.filter(|job| job.name == *name).peekable();
            let said = self.status_of_context(&sha, name);
            if said == Some("pending") || (found.peek().is_none() && said.is_none()) {
                missing.push(name.as_str());
            } else if said.is_some_and(|it| it != "success") || found.any(|job| !is_fine(job)) {
                failed.push(name.as_str());
            }
        }
        (missing, failed)
    }

    /// Reports whether a run on a commit failed, or a job or commit status is not successful.
    pub(crate) fn is_red(&self, commit: ObjectId) -> bool {
        let checked = self.checked(commit);
        let conclusion = |run: &Run| run.conclusion.as_deref() == Some("failure");
        let is_red = checked
            .iter()
            .any(|(run, jobs)| conclusion(run) || jobs.iter().any(|job| !is_fine(job)));
        is_red || self.has_bad_status(&commit.to_string())
    }

    /// State of the last commit status with a context. `None` if there is no such status.
    fn status_of_context(&self, commit: &str, context: &str) -> Option<&str> {
        let statuses = self.hub.remarks.get(commit)?.statuses.iter();
        let mut newest_first = statuses.rev();
        let last = newest_first.find(|it| it.context == context);
        last.map(|it| it.state.as_str())
    }

    /// Reports whether the last commit status of some context is not `success`.
    fn has_bad_status(&self, commit: &str) -> bool {
        let remarks = self.hub.remarks.get(commit);
        remarks.is_some_and(|it| it.latest().iter().any(|it| it.state != "success"))
    }
}

fn is_fine(job: &Job) -> bool {
    let conclusion = job.conclusion.as_deref();
    matches!(conclusion, Some("success" | "neutral" | "skipped"))
}
