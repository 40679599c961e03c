//! Endpoints for workflows, runs and jobs, and for the checks and statuses of commits.

use serde_json::{Value, json};

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Call, Page, RepositoryName, RunList};
use crate::hub::{Kind, Run};
use crate::repository::RepositoryState;

/// Response with one page of a list in an object with `total_count`.
fn counted(request: &Request<'_>, list: Value) -> Outcome {
    let total = list["total_count"].as_u64().unwrap_or(0);
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    Ok(Reply::json(200, list).paged(request.page(), total))
}

fn accepted(done: Result<(), crate::api::ApiError>) -> Outcome {
    done?;
    created(json!({}))
}

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    let page = request.page();
    match (request.method, below) {
        ("GET", ["workflows"]) => counted(request, repo.list_workflows(at, page)?),
        ("GET", ["workflows", name]) => ok(repo.get_workflow(at, name)?),
        ("GET", ["workflows", name, "runs"]) => runs(repo, request, at, name),
        ("POST", ["workflows", name, "dispatches"]) => {
            let reference = request.fields(call)?.needed("ref")?;
            repo.dispatch(at, name, &reference)?;
            Ok(Reply::empty())
        }
        ("GET", ["runs"]) => runs(repo, request, at, ""),
        (_, ["runs", id, below @ ..]) => one_run(repo, request, at, call, number(call, id)?, below),
        ("GET", ["jobs", id]) => {
            let (run, job) = repo.find_job(at, number(call, id)?, "")?;
            ok(repo.job(run, job))
        }
        ("GET", ["jobs", id, "logs"]) => {
            let id = number(call, id)?;
            repo.job_log(at, id)?;
            let repository = repo.full_name();
            let path = format!("/raw/{repository}/actions/jobs/{id}/logs");
            Ok(Reply::elsewhere(format!("{}{path}", request.origin())))
        }
        ("POST", ["jobs", id, "rerun"]) => {
            let id = number(call, id)?;
            accepted(repo.rerun_job(at, id))
        }
        ("GET", ["artifacts"]) => ok(json!({"total_count": 0, "artifacts": []})),
        _ => nothing(call),
    }
}

fn one_run(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    id: u64,
    below: &[&str],
) -> Outcome {
    let page = request.page();
    match (request.method, below) {
        ("GET", []) => ok(repo.get_run(at, id)?),
        ("GET", ["jobs"]) => counted(
            request,
            repo.list_jobs(at, id, request.parameter("filter"), page)?,
        ),
        ("GET", ["timing"]) => ok(repo.run_usage(at, id)?),
        ("GET", ["artifacts"]) => counted(request, repo.run_artifacts(at, id)?),
        ("POST", ["rerun"]) => accepted(repo.rerun(at, id, false)),
        ("POST", ["rerun-failed-jobs"]) => accepted(repo.rerun(at, id, true)),
        ("POST", ["cancel"]) => accepted(repo.cancel_run(at, id)),
        ("DELETE", ["logs"]) => {
            repo.delete_run_logs(at, id)?;
            Ok(Reply::empty())
        }
        _ => nothing(call),
    }
}

fn runs(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    workflow: &str,
) -> Outcome {
    let given = |name: &str| request.parameter(name).to_owned();
    let list = RunList {
        workflow: workflow.to_owned(),
        actor: given("actor"),
        branch: given("branch"),
        event: given("event"),
        status: given("status"),
        head_sha: given("head_sha"),
    };
    counted(request, repo.list_runs(at, &list, request.page())?)
}

/// Log of a job as a file, to which requests for the log are redirected.
pub(super) fn raw_log(
    repo: &RepositoryState,
    at: &RepositoryName,
    call: &Call,
    job: &str,
) -> Outcome {
    let log = repo.job_log(at, number(call, job)?)?;
    Ok(Reply::bytes(
        "text/plain; charset=utf-8",
        log.as_bytes().to_vec(),
    ))
}

/// Check runs and check suites by id.
pub(super) fn checks(
    repo: &RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    let suite = |text: &str| -> Result<&Run, crate::api::ApiError> {
        let id = Kind::CheckSuite.ordinal(number(call, text)?);
        let run = id.and_then(|id| repo.hub.runs.run(id));
        run.ok_or_else(|| call.not_found())
    };
    match (request.method, below) {
        ("GET", ["check-runs", id]) => {
            let (run, job) = repo.find_job(at, number(call, id)?, "")?;
            ok(repo.check_run(run, job))
        }
        ("GET", ["check-runs", id, "annotations"]) => {
            repo.find_job(at, number(call, id)?, "")?;
            ok(json!([]))
        }
        ("GET", ["check-suites", id]) => ok(repo.check_suite(suite(id)?)?),
        ("GET", ["check-suites", id, "check-runs"]) => {
            let run = suite(id)?;
            let jobs = repo.hub.runs.latest_jobs(run);
            let all: Vec<Value> = jobs.map(|job| repo.check_run(run, job)).collect();
            ok(json!({"total_count": all.len(), "check_runs": all}))
        }
        _ => nothing(call),
    }
}

/// Statuses, check runs or check suites of a commit.
pub(super) fn of_commit(
    repo: &RepositoryState,
    request: &Request<'_>,
    commit: crate::git::ObjectId,
    what: &str,
) -> Outcome {
    match what {
        "status" => ok(repo.combined_status(commit)),
        "statuses" => Ok(Reply::list(request, repo.statuses(commit, false).into())),
        "check-runs" => {
            let name = request.parameter("check_name");
            counted(request, repo.check_runs(commit, name, request.page()))
        }
        _ => {
            let mut suites = Vec::new();
            for (run, _) in repo.checked(commit) {
                suites.push(repo.check_suite(run)?);
            }
            let Page { number, size, .. } = request.page();
            let total = suites.len();
            let shown: Vec<Value> = suites
                .into_iter()
                .skip((number - 1) * size)
                .take(size)
                .collect();
            counted(
                request,
                json!({"total_count": total, "check_suites": shown}),
            )
        }
    }
}
