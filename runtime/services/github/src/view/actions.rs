//! Workflows, runs and jobs, and their results as check runs, check suites and statuses of a commit.

use serde_json::{Map, Value, json};

use super::{Viewed, job};
use crate::git::{GitError, ObjectId};
use crate::hub::{Job, Kind, Run, Time};
use crate::repository::RepositoryState;
use crate::workflow::Workflow;

/// Slug of the application that creates check runs.
const APP: &str = "github-actions";

/// Overrides the derived fields of a view with those of a document.
fn overlaid(mut view: Value, more: &Map<String, Value>) -> Value {
    if let Value::Object(fields) = &mut view {
        for (key, value) in more {
            fields.insert(key.clone(), value.clone());
        }
    }
    view
}

impl RepositoryState {
    /// Short form of the repository, as it is part of a run.
    fn repository_in_short(&self) -> Value {
        let full = self.repository();
        let mut short = Map::new();
        for key in [
            "id",
            "node_id",
            "name",
            "full_name",
            "private",
            "owner",
            "html_url",
            "description",
            "fork",
            "url",
        ] {
            short.insert(key.to_owned(), full[key].clone());
        }
        Value::Object(short)
    }

    pub(crate) fn workflow(&self, workflow: &Workflow) -> Value {
        let id = Kind::Workflow.of_name(&workflow.path);
        let file = workflow.path.rsplit('/').next().unwrap_or_default();
        let branch = &self.hub.repository.default_branch;
        json!({
            "id": id,
            "node_id": Kind::Workflow.node_id(id),
            "name": workflow.name(),
            "path": workflow.path,
            "state": "active",
            "created_at": self.hub.repository.created_at,
            "updated_at": self.hub.repository.created_at,
            "url": self.api(&format!("/actions/workflows/{id}")),
            "html_url": self.html(&format!("/blob/{branch}/{}", workflow.path)),
            "badge_url": self.html(&format!("/actions/workflows/{file}/badge.svg")),
        })
    }

    /// Commit of a run. Null if the repository does not contain it.
    fn head_commit(&self, run: &Run) -> Viewed {
        let Some(id) = ObjectId::from_hex(run.head_sha.as_bytes()).ok() else {
            return Ok(Value::Null);
        };
        let Some(id) = self.git.peel(id)? else {
            return Ok(Value::Null);
        };
        let commit = self.git.commit(id)?;
        let who = |name: &str, email: &str| json!({"name": name, "email": email});
        Ok(json!({
            "id": run.head_sha,
            "tree_id": commit.tree.to_string(),
            "message": commit.message.trim_end_matches('\n'),
            "timestamp": Time(commit.committer.seconds),
            "author": who(&commit.author.name, &commit.author.email),
            "committer": who(&commit.committer.name, &commit.committer.email),
        }))
    }

    /// Short form of the pull requests of a run.
    fn pulls_of_run(&self, run: &Run) -> Value {
        let repository = json!({
            "id": Kind::Repository.of_name(&self.full_name()),
            "url": self.api(""),
            "name": self.hub.repository.name,
        });
        let known = run
            .pull_requests
            .iter()
            .filter_map(|number| self.hub.pull(*number));
        known
            .map(|(issue, pull)| {
                json!({
                    "url": self.api(&format!("/pulls/{}", issue.number)),
                    "id": Kind::Pull.id(issue.number),
                    "number": issue.number,
                    "head": {"ref": pull.head, "sha": run.head_sha, "repo": repository},
                    "base": {"ref": pull.base, "sha": pull.base_sha, "repo": repository},
                })
            })
            .collect()
    }

    pub(crate) fn run(&self, run: &Run) -> Viewed {
        let id = run.id;
        let url = self.api(&format!("/actions/runs/{id}"));
        let workflow = Kind::Workflow.of_name(&run.path);
        let suite = Kind::CheckSuite.id(id);
        let actor = match &run.actor {
            Some(login) => self.user(login),
            None => Value::Null,
        };
        let previous = match run.run_attempt {
            0 | 1 => Value::Null,
            attempt => format!("{url}/attempts/{}", attempt - 1).into(),
        };
        let view = json!({
            "id": id,
            "name": run.name,
            "node_id": Kind::Run.node_id(id),
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "path": run.path,
            "display_title": run.display_title,
            "run_number": run.run_number,
            "event": run.event,
            "status": run.status,
            "conclusion": run.conclusion,
            "workflow_id": workflow,
            "check_suite_id": suite,
            "check_suite_node_id": Kind::CheckSuite.node_id(suite),
            "url": url,
            "html_url": self.html(&format!("/actions/runs/{id}")),
            "pull_requests": self.pulls_of_run(run),
            "created_at": run.created_at,
            "updated_at": run.updated_at,
            "actor": actor.clone(),
            "run_attempt": run.run_attempt,
            "referenced_workflows": [],
            "run_started_at": run.updated_at,
            "triggering_actor": actor,
            "jobs_url": format!("{url}/jobs"),
            "logs_url": format!("{url}/logs"),
            "check_suite_url": self.api(&format!("/check-suites/{suite}")),
            "artifacts_url": format!("{url}/artifacts"),
            "cancel_url": format!("{url}/cancel"),
            "rerun_url": format!("{url}/rerun"),
            "previous_attempt_url": previous,
            "workflow_url": self.api(&format!("/actions/workflows/{workflow}")),
            "head_commit": self.head_commit(run)?,
            "repository": self.repository_in_short(),
            "head_repository": self.repository_in_short(),
        });
        Ok(overlaid(view, &run.more))
    }

    pub(crate) fn job(&self, run: &Run, job: &Job) -> Value {
        let id = job.id;
        let view = json!({
            "id": id,
            "run_id": job.run_id,
            "workflow_name": run.name,
            "head_branch": run.head_branch,
            "run_url": self.api(&format!("/actions/runs/{}", job.run_id)),
            "run_attempt": job.run_attempt,
            "node_id": Kind::Job.node_id(id),
            "head_sha": run.head_sha,
            "url": self.api(&format!("/actions/jobs/{id}")),
            "html_url": self.page_of_job(job),
            "status": job.status,
            "conclusion": job.conclusion,
            "created_at": job.started_at,
            "started_at": job.started_at,
            "completed_at": job.completed_at,
            "name": job.name,
            "steps": job::steps(job),
            "check_run_url": self.api(&format!("/check-runs/{id}")),
            "labels": self.labels_of_runner(run, job),
            "runner_id": 1,
            "runner_name": "GitHub Actions 1",
            "runner_group_id": 0,
            "runner_group_name": "GitHub Actions",
        });
        overlaid(view, &job.more)
    }

    fn page_of_job(&self, job: &Job) -> String {
        self.html(&format!("/actions/runs/{}/job/{}", job.run_id, job.id))
    }

    /// Job as a check run of its commit.
    pub(crate) fn check_run(&self, run: &Run, job: &Job) -> Value {
        json!({
            "id": job.id,
            "name": job.name,
            "node_id": Kind::Job.node_id(job.id),
            "head_sha": run.head_sha,
            "external_id": "",
            "url": self.api(&format!("/check-runs/{}", job.id)),
            "html_url": self.page_of_job(job),
            "details_url": self.page_of_job(job),
            "status": job.status,
            "conclusion": job.conclusion,
            "started_at": job.started_at,
            "completed_at": job.completed_at,
            "output": {
                "title": null,
                "summary": null,
                "text": null,
                "annotations_count": 0,
                "annotations_url": self.api(&format!("/check-runs/{}/annotations", job.id)),
            },
            "check_suite": {"id": Kind::CheckSuite.id(run.id)},
            "app": app(),
            "pull_requests": self.pulls_of_run(run),
        })
    }

    /// Run as a check suite of its commit.
    pub(crate) fn check_suite(&self, run: &Run) -> Viewed {
        let id = Kind::CheckSuite.id(run.id);
        let url = self.api(&format!("/check-suites/{id}"));
        Ok(json!({
            "id": id,
            "node_id": Kind::CheckSuite.node_id(id),
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "status": run.status,
            "conclusion": run.conclusion,
            "url": url,
            "before": run.base_sha,
            "after": run.head_sha,
            "pull_requests": self.pulls_of_run(run),
            "app": app(),
            "repository": self.repository_in_short(),
            "created_at": run.created_at,
            "updated_at": run.updated_at,
            "head_commit": self.head_commit(run)?,
            "latest_check_runs_count": self.hub.runs.latest_jobs(run).count(),
            "check_runs_url": format!("{url}/check-runs"),
            "rerequestable": true,
            "runs_rerequestable": false,
        }))
    }

    /// Job as a status of its commit.
    fn status(&self, run: &Run, job: &Job) -> Value {
        json!({
            "url": self.api(&format!("/statuses/{}", run.head_sha)),
            "avatar_url": self.user(APP)["avatar_url"],
            "id": job.id,
            "node_id": Kind::Job.node_id(job.id),
            "state": state(job.conclusion.as_deref()),
            "description": match job.conclusion.as_deref() {
                Some("success") => "Successful",
                Some("failure") => "Failing",
                Some(_) => "Not successful",
                None => "Waiting",
            },
            "target_url": self.page_of_job(job),
            "context": format!("{} / {} ({})", run.name, job.name, run.event),
            "created_at": job.completed_at,
            "updated_at": job.completed_at,
        })
    }

    /// Statuses of a commit: those set by programs, and one for each job. Of the former, all or only the last one of
    /// each context. Both groups are sorted by age, newest first.
    pub(crate) fn statuses(&self, commit: ObjectId, latest: bool) -> Vec<Value> {
        let checked = self.checked(commit);
        let jobs = checked
            .iter()
            .flat_map(|(run, jobs)| jobs.iter().map(|job| (*run, *job)));
        let mut all: Vec<(&Run, &Job)> = jobs.collect();
        all.sort_by_key(|(_, job)| std::cmp::Reverse(job.id));
        let of_jobs = all.into_iter().map(|(run, job)| self.status(run, job));
        let mut statuses = self.set_statuses(commit, latest);
        statuses.extend(of_jobs);
        statuses
    }

    /// Combined status of a commit.
    pub(crate) fn combined_status(&self, head: ObjectId) -> Value {
        let statuses = self.statuses(head, true);
        let state = combined_state(&statuses);
        json!({
            "state": state,
            "statuses": statuses,
            "sha": head.to_string(),
            "total_count": statuses.len(),
            "repository": self.repository(),
            "commit_url": self.api(&format!("/commits/{head}")),
            "url": self.api(&format!("/commits/{head}/status")),
        })
    }

    /// List of runs.
    pub(crate) fn runs<'a>(&self, all: impl Iterator<Item = &'a Run>) -> Result<Value, GitError> {
        all.map(|run| self.run(run)).collect()
    }
}

/// Combined state of statuses.
pub(crate) fn combined_state(statuses: &[Value]) -> &'static str {
    let any = |wanted: &[&str]| {
        let mut states = statuses.iter().filter_map(|it| it["state"].as_str());
        states.any(|state| wanted.contains(&state))
    };
    if any(&["failure", "error"]) {
        "failure"
    } else if statuses.is_empty() || any(&["pending"]) {
        "pending"
    } else {
        "success"
    }
}

/// State of a status for the conclusion of a job. Statuses have fewer states than there are conclusions.
fn state(conclusion: Option<&str>) -> &'static str {
    match conclusion {
        None => "pending",
        Some("success" | "neutral" | "skipped") => "success",
        Some("failure") => "failure",
        Some(_) => "error",
    }
}

fn app() -> Value {
    json!({
        "id": 15368,
        "slug": APP,
        "name": "GitHub Actions",
    })
}
