//! Workflows and their runs.

use serde_json::{Value, json};

use super::{Answer, Call, Page, Paged, RepositoryName};
use crate::git::ObjectId;
use crate::hub::{Job, Kind, Run};
use crate::repository::{RepositoryState, RunRequest};
use crate::workflow::Workflow;

/// Filter of a list of runs. Empty fields match all.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunList {
    /// Id, file name or path of a workflow.
    pub(crate) workflow: String,
    pub(crate) actor: String,
    pub(crate) branch: String,
    pub(crate) event: String,
    /// Status or conclusion.
    pub(crate) status: String,
    pub(crate) head_sha: String,
}

impl RepositoryState {
    /// Page of the workflows: those in `runs.json` if it contains `workflows`, otherwise those of the default branch.
    pub(crate) fn list_workflows(&self, at: &RepositoryName, page: Page) -> Answer<Value> {
        self.call(at, "GET", "/actions/workflows")?;
        if let Some(Value::Array(named)) = self.hub.runs.more.get("workflows") {
            let shown: Value = named.iter().cloned().page(page).collect();
            return Ok(json!({"total_count": named.len(), "workflows": shown}));
        }
        let all = self.workflows()?;
        let shown: Value = all.iter().page(page).map(|it| self.workflow(it)).collect();
        Ok(json!({"total_count": all.len(), "workflows": shown}))
    }

    fn workflows(&self) -> Answer<Vec<Workflow>> {
        match self.git.branch(&self.hub.repository.default_branch) {
            Some(tip) => Ok(self.workflows_at(tip)?),
            None => Ok(Vec::new()),
        }
    }

    /// Workflow of the default branch, by its id, file name or path.
    pub(crate) fn get_workflow(&self, at: &RepositoryName, name: &str) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/actions/workflows/{name}"))?;
        let all = self.workflows()?;
        let found = all.iter().find(|it| is_workflow(&it.path, name));
        found
            .map(|it| self.workflow(it))
            .ok_or_else(|| call.not_found())
    }

    /// Page of the runs, newest first.
    pub(crate) fn list_runs(
        &self,
        at: &RepositoryName,
        list: &RunList,
        page: Page,
    ) -> Answer<Value> {
        let below = match list.workflow.as_str() {
            "" => "/actions/runs".to_owned(),
            name => format!("/actions/workflows/{name}/runs"),
        };
        let asked = page.query(&[
            ("actor", &list.actor),
            ("branch", &list.branch),
            ("event", &list.event),
            ("head_sha", &list.head_sha),
            ("status", &list.status),
        ]);
        let call = self.call(at, "GET", &(below + &asked))?;
        let runs = &self.hub.runs.workflow_runs;
        if !list.workflow.is_empty() {
            let of = |path: &str| is_workflow(path, &list.workflow);
            let known = runs.iter().any(|run| of(&run.path))
                || self.workflows()?.iter().any(|it| of(&it.path));
            if !known {
                return Err(call.not_found());
            }
        }
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let fits = |run: &&Run| {
            let conclusion = run.conclusion.as_deref().unwrap_or_default();
            (list.workflow.is_empty() || is_workflow(&run.path, &list.workflow))
                && is(&list.actor, run.actor.as_deref().unwrap_or_default())
                && is(&list.branch, &run.head_branch)
                && is(&list.event, &run.event)
                && (is(&list.status, &run.status) || list.status == conclusion)
                && is(&list.head_sha, &run.head_sha)
        };
        let fitting: Vec<&Run> = runs.iter().rev().filter(fits).collect();
        let shown = self.runs(fitting.iter().copied().page(page))?;
        Ok(json!({"total_count": fitting.len(), "workflow_runs": shown}))
    }

    /// Run with an id, and the request for a path below it.
    fn find_run(
        &self,
        at: &RepositoryName,
        method: &'static str,
        id: u64,
        below: &str,
    ) -> Answer<(Call, &Run)> {
        let call = self.call(at, method, &format!("/actions/runs/{id}{below}"))?;
        match self.hub.runs.run(id) {
            Some(run) => Ok((call, run)),
            None => Err(call.not_found()),
        }
    }

    pub(crate) fn get_run(&self, at: &RepositoryName, id: u64) -> Answer<Value> {
        let (_, run) = self.find_run(at, "GET", id, "")?;
        Ok(self.run(run)?)
    }

    /// Page of the jobs of a run: of the last attempt, or of all attempts.
    pub(crate) fn list_jobs(
        &self,
        at: &RepositoryName,
        id: u64,
        filter: &str,
        page: Page,
    ) -> Answer<Value> {
        let below = format!("/jobs{}", page.query(&[("filter", filter)]));
        let (call, run) = self.find_run(at, "GET", id, &below)?;
        let all: Vec<&Job> = match filter {
            "" | "latest" => self.hub.runs.latest_jobs(run).collect(),
            "all" => {
                let jobs = self.hub.runs.jobs.iter();
                jobs.filter(|job| job.run_id == id).collect()
            }
            _ => return Err(call.refuse(422, "Invalid filter")),
        };
        let shown: Value = all
            .iter()
            .page(page)
            .map(|job| self.job(run, job))
            .collect();
        Ok(json!({"total_count": all.len(), "jobs": shown}))
    }

    /// Jobs of the last attempt of a run.
    pub(crate) fn jobs_of(&self, at: &RepositoryName, id: u64) -> Answer<Vec<&Job>> {
        let (_, run) = self.find_run(at, "GET", id, "/jobs?filter=latest")?;
        Ok(self.hub.runs.latest_jobs(run).collect())
    }

    /// Job with its run.
    pub(crate) fn find_job(
        &self,
        at: &RepositoryName,
        id: u64,
        below: &str,
    ) -> Answer<(&Run, &Job)> {
        let call = self.call(at, "GET", &format!("/actions/jobs/{id}{below}"))?;
        let job = self.hub.runs.job(id);
        let found = job.and_then(|job| Some((self.hub.runs.run(job.run_id)?, job)));
        found.ok_or_else(|| call.not_found())
    }

    /// Log of a job.
    pub(crate) fn job_log(&self, at: &RepositoryName, id: u64) -> Answer<&str> {
        let (_, job) = self.find_job(at, id, "/logs")?;
        self.log_of(at, job)
    }

    /// Log of a job that was found before.
    pub(crate) fn log_of<'a>(&self, at: &RepositoryName, job: &'a Job) -> Answer<&'a str> {
        let call = self.call(at, "GET", &format!("/actions/jobs/{}/logs", job.id))?;
        match &job.log {
            Some(log) => Ok(log),
            None => Err(call.refuse(410, "Gone")),
        }
    }

    /// Usage of a run. Nothing is billed.
    pub(crate) fn run_usage(&self, at: &RepositoryName, id: u64) -> Answer<Value> {
        let (_, run) = self.find_run(at, "GET", id, "/timing")?;
        let duration = (run.updated_at.0 - run.created_at.0).max(0) * 1000;
        Ok(json!({"billable": {}, "run_duration_ms": duration}))
    }

    /// Artifacts of a run. There are never any.
    pub(crate) fn run_artifacts(&self, at: &RepositoryName, id: u64) -> Answer<Value> {
        self.find_run(at, "GET", id, "/artifacts")?;
        Ok(json!({"total_count": 0, "artifacts": []}))
    }

    /// Requests a new attempt of a run, with all of its jobs or only those that failed.
    pub(crate) fn rerun(&mut self, at: &RepositoryName, id: u64, failed_only: bool) -> Answer<()> {
        let below = if failed_only {
            "/rerun-failed-jobs"
        } else {
            "/rerun"
        };
        let (call, run) = self.find_run(at, "POST", id, below)?;
        let mut jobs = None;
        if failed_only {
            let failed = |job: &&Job| job.conclusion.as_deref() != Some("success");
            let latest = self.hub.runs.latest_jobs(run).filter(failed);
            let names: Vec<String> = latest.map(|job| job.name.clone()).collect();
            if names.is_empty() && run.conclusion.as_deref() == Some("success") {
                let problem = "This workflow run has no failed jobs to rerun";
                return Err(call.refuse(403, problem));
            }
            jobs = (!names.is_empty()).then_some(names);
        }
        self.ask(&call, RunRequest::Again { id, jobs })
    }

    /// Requests a new attempt of one job. The results of the others stay.
    pub(crate) fn rerun_job(&mut self, at: &RepositoryName, id: u64) -> Answer<()> {
        let call = self.call(at, "POST", &format!("/actions/jobs/{id}/rerun"))?;
        let (run, job) = self.find_job(at, id, "/rerun")?;
        let (id, jobs) = (run.id, Some(vec![job.name.clone()]));
        self.ask(&call, RunRequest::Again { id, jobs })
    }

    /// Requests a run of a workflow on a branch (`workflow_dispatch`).
    pub(crate) fn dispatch(
        &mut self,
        at: &RepositoryName,
        name: &str,
        reference: &str,
    ) -> Answer<()> {
        let below = format!("/actions/workflows/{name}/dispatches");
        let call = self.call(at, "POST", &below)?;
        let all = self.workflows()?;
        let Some(workflow) = all.iter().find(|it| is_workflow(&it.path, name)) else {
            return Err(call.not_found());
        };
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(reference);
        let Some(tip) = self.git.branch(branch) else {
            return Err(call.refuse(422, format!("No ref found for: {reference}")));
        };
        let there = self.workflows_at(tip)?;
        let there = there.iter().find(|it| it.path == workflow.path);
        if !there.is_some_and(Workflow::is_dispatched) {
            let problem = "Workflow does not have 'workflow_dispatch' trigger";
            return Err(call.refuse(422, problem));
        }
        let (path, branch) = (workflow.path.clone(), branch.to_owned());
        self.ask(&call, RunRequest::Dispatch { path, branch })
    }

    fn ask(&mut self, call: &Call, request: RunRequest) -> Answer<()> {
        let Some(requests) = &mut self.run_requests else {
            return Err(call.refuse(403, "Actions is disabled on this repository."));
        };
        requests.runs.push(request);
        self.hub.tick();
        Ok(())
    }

    /// Refuses to cancel a run, because every run is completed.
    pub(crate) fn cancel_run(&mut self, at: &RepositoryName, id: u64) -> Answer<()> {
        let (call, _) = self.find_run(at, "POST", id, "/cancel")?;
        Err(call.refuse(409, "Cannot cancel a workflow run that is completed."))
    }

    /// Deletes the logs of the jobs of a run.
    pub(crate) fn delete_run_logs(&mut self, at: &RepositoryName, id: u64) -> Answer<()> {
        self.find_run(at, "DELETE", id, "/logs")?;
        for job in &mut self.hub.runs.jobs {
            if job.run_id == id {
                job.log = None;
            }
        }
        self.hub.tick();
        Ok(())
    }

    /// Page of the check runs of a commit, one for each job. `name` is a filter, unless it is empty.
    pub(crate) fn check_runs(&self, commit: ObjectId, name: &str, page: Page) -> Value {
        let checked = self.checked(commit);
        let all: Vec<Value> = checked
            .iter()
            .flat_map(|(run, jobs)| jobs.iter().map(|job| (*run, *job)))
            .filter(|(_, job)| name.is_empty() || job.name == name)
            .map(|(run, job)| self.check_run(run, job))
            .collect();
        let total = all.len();
        let shown: Value = all.into_iter().page(page).collect();
        json!({"total_count": total, "check_runs": shown})
    }
}

/// Reports whether a name identifies a workflow: by id, file name or path.
fn is_workflow(path: &str, name: &str) -> bool {
    path == name
        || path.rsplit('/').next() == Some(name)
        || name.parse() == Ok(Kind::Workflow.of_name(path))
}
