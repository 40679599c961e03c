//! Tools for workflows, their runs, jobs and logs.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::go::shaped as in_go;
use super::{Failure, Outcome, protocol_error, shaped, tool_error, written};
use crate::api::{ApiError, RunList};
use crate::hub::Job;
use crate::repository::RepositoryState;

/// Default and maximum number of lines of a log.
const LINES: usize = 500;
const MAX_LINES: usize = 5000;

fn id(with: &Arguments, name: &str) -> Result<u64, Failure> {
    with.issue(name)
}

pub(super) fn list_workflows(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let list = repo.list_workflows(&at, page);
    shaped(
        "Workflows",
        list.map_err(protocol_error("failed to list workflows"))?,
    )
}

pub(super) fn list_workflow_runs(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let list = RunList {
        workflow: with.text("workflow_id")?,
        actor: with.optional_text("actor")?,
        branch: with.optional_text("branch")?,
        event: with.optional_text("event")?,
        status: with.optional_text("status")?,
        head_sha: String::new(),
    };
    let page = with.page()?;
    let runs = repo.list_runs(&at, &list, page);
    shaped(
        "WorkflowRuns",
        runs.map_err(protocol_error("failed to list workflow runs"))?,
    )
}

pub(super) fn get_workflow_run(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let run = repo.get_run(&at, id(with, "run_id")?);
    shaped(
        "WorkflowRun",
        run.map_err(protocol_error("failed to get workflow run"))?,
    )
}

pub(super) fn get_workflow_run_logs(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    repo.get_run(&at, id)
        .map_err(protocol_error("failed to get workflow run logs"))?;
    written(&json!({
        "logs_url": repo.api(&format!("/actions/runs/{id}/logs")),
        "message": "Workflow run logs are available for download",
        "note": "The archive has the logs of all jobs.",
        "optimization_tip": format!("get_job_logs with run_id {id} and failed_only gives the logs of the failed jobs"),
        "warning": "The archive may be large.",
    }))
}

pub(super) fn list_workflow_jobs(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    let filter = with.optional_text("filter")?;
    let page = with.page()?;
    let jobs = repo.list_jobs(&at, id, &filter, page);
    let jobs = jobs.map_err(protocol_error("failed to list workflow jobs"))?;
    written(&json!({
        "jobs": in_go("Jobs", jobs),
        "optimization_tip": format!("get_job_logs with run_id {id} and failed_only gives the logs of the failed jobs"),
    }))
}

pub(super) fn get_job_logs(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let positive = |name| Ok::<_, Failure>(u64::try_from(with.optional_number(name)?).unwrap_or(0));
    let (job, run) = (positive("job_id")?, positive("run_id")?);
    let failed_only = with.given_bool("failed_only")?.unwrap_or(false);
    let content = with.given_bool("return_content")?.unwrap_or(false);
    let lines = match with.optional_number("tail_lines")? {
        0 => LINES,
        lines => usize::try_from(lines).unwrap_or(0),
    };
    if failed_only && run == 0 {
        return Err(Failure::tool_error(
            "run_id is required when failed_only is true",
        ));
    }
    if !failed_only && job == 0 {
        return Err(Failure::tool_error(
            "job_id is required when failed_only is false",
        ));
    }
    if !failed_only {
        let log = repo.job_log(&at, job);
        let log = log.map_err(|error| refused(error, job, "failed to get job logs: "))?;
        return written(&one_log(repo, log, (job, None), content, lines));
    }
    let jobs = repo
        .jobs_of(&at, run)
        .map_err(tool_error("failed to list workflow jobs"))?;
    let failed = jobs
        .iter()
        .filter(|job| job.conclusion.as_deref() == Some("failure"));
    let failed: Vec<&Job> = failed.copied().collect();
    if failed.is_empty() {
        return written(&json!({
            "failed_jobs": 0,
            "message": "No failed jobs found in this workflow run",
            "run_id": run,
            "total_jobs": jobs.len(),
        }));
    }
    let mut logs = Vec::new();
    for job in &failed {
        let (id, name) = (job.id, job.name.as_str());
        // Jobs are not looked up by id, because there can be many.
        logs.push(match repo.log_of(&at, job) {
            Ok(log) => one_log(repo, log, (id, Some(name)), content, lines),
            Err(error) => match refused(error, id, "") {
                Failure::ToolError(problem) => {
                    json!({"error": problem, "job_id": id, "job_name": name})
                }
                fault => return Err(fault),
            },
        });
    }
    written(&json!({
        "failed_jobs": failed.len(),
        "logs": logs,
        "message": format!("Retrieved logs for {} failed jobs", failed.len()),
        "return_format": {"content": content, "urls": !content},
        "run_id": run,
        "total_jobs": jobs.len(),
    }))
}

/// Error of reading the log of a job.
fn refused(error: ApiError, job: u64, during: &str) -> Failure {
    unexpected(format!("{during}failed to get job logs for job {job}"))(error)
}

/// Error of a request for a download URL, of which the published server checks only the status.
fn unexpected(during: impl std::fmt::Display) -> impl FnOnce(ApiError) -> Failure {
    move |error| match error {
        ApiError::Refused(refusal) => {
            let (status, words) = (refusal.status, &refusal.message);
            Failure::ToolError(format!(
                "{during}: unexpected status code: {status} {words}"
            ))
        }
        ApiError::Git(error) => error.into(),
    }
}

/// Result for one log: its last lines, or its URL.
fn one_log(
    repo: &RepositoryState,
    log: &str,
    (id, name): (u64, Option<&str>),
    content: bool,
    lines: usize,
) -> Value {
    let mut told = json!({"job_id": id});
    if let Some(name) = name {
        told["job_name"] = name.into();
    }
    if content {
        let all: Vec<&str> = log.lines().collect();
        let kept = lines.min(MAX_LINES).min(all.len());
        told["logs_content"] = all[all.len() - kept..].join("\n").into();
        told["message"] = "Job logs content retrieved successfully".into();
        told["original_length"] = all.len().into();
    } else {
        told["logs_url"] = repo.api(&format!("/actions/jobs/{id}/logs")).into();
        told["message"] = "Job logs are available for download".into();
        told["note"] = "With return_content the log itself is given.".into();
    }
    told
}

pub(super) fn get_workflow_run_usage(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let usage = repo.run_usage(&at, id(with, "run_id")?);
    written(&usage.map_err(protocol_error("failed to get workflow run usage"))?)
}

pub(super) fn list_workflow_run_artifacts(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    with.page()?;
    let artifacts = repo.run_artifacts(&at, id);
    shaped(
        "ArtifactList",
        artifacts.map_err(tool_error("failed to list workflow run artifacts"))?,
    )
}

pub(super) fn download_workflow_run_artifact(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "artifact_id")?;
    let call = repo.call(&at, "GET", &format!("/actions/artifacts/{id}/zip"));
    let refusal = call.map_or_else(|error| error, |call| call.not_found());
    Err(unexpected("failed to get artifact download URL")(refusal))
}

pub(super) fn run_workflow(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let workflow = with.text("workflow_id")?;
    let reference = with.text("ref")?;
    let inputs = with.0.get("inputs").filter(|it| it.is_object()).cloned();
    repo.dispatch(&at, &workflow, &reference)
        .map_err(protocol_error("failed to run workflow"))?;
    let kind = match workflow.parse::<i64>() {
        Ok(_) => "workflow_id",
        Err(_) => "workflow_file",
    };
    written(&json!({
        "inputs": inputs,
        "message": "Workflow run has been queued",
        "ref": reference,
        "status": "204 No Content",
        "status_code": 204,
        "workflow_id": workflow,
        "workflow_type": kind,
    }))
}

/// Result of a request to rerun, cancel or delete.
fn done(message: &str, id: u64, status: &str) -> Outcome {
    let code = status
        .split(' ')
        .next()
        .and_then(|code| code.parse::<u16>().ok());
    written(&json!({"message": message, "run_id": id, "status": status, "status_code": code}))
}

pub(super) fn rerun_workflow_run(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    repo.rerun(&at, id, false)
        .map_err(tool_error("failed to rerun workflow run"))?;
    done("Workflow run has been queued for re-run", id, "201 Created")
}

pub(super) fn rerun_failed_jobs(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    repo.rerun(&at, id, true)
        .map_err(tool_error("failed to rerun failed jobs"))?;
    done("Failed jobs have been queued for re-run", id, "201 Created")
}

pub(super) fn cancel_workflow_run(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    repo.cancel_run(&at, id)
        .map_err(tool_error("failed to cancel workflow run"))?;
    done("Workflow run has been cancelled", id, "202 Accepted")
}

pub(super) fn delete_workflow_run_logs(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let id = id(with, "run_id")?;
    repo.delete_run_logs(&at, id)
        .map_err(tool_error("failed to delete workflow run logs"))?;
    done("Workflow run logs have been deleted", id, "204 No Content")
}
