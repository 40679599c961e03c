//! Workflows and what has run of them, and what that says of commits.

use serde_json::{Value, json};

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Call, Named, Page, RunList};
use crate::hub::{Kind, Run};
use crate::view::Site;

/// An object with a count and one page of a list, as one page of several.
fn counted(asked: &Asked<'_>, list: Value) -> Outcome {
    let total = list["total_count"].as_u64().unwrap_or(0);
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    Ok(Reply::json(200, list).paged(asked.page(), total))
}

fn accepted(done: Result<(), crate::api::ApiError>) -> Outcome {
    done?;
    created(json!({}))
}

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    let page = asked.page();
    match (asked.method, below) {
        ("GET", ["workflows"]) => counted(asked, site.list_workflows(at, page)?),
        ("GET", ["workflows", name]) => ok(site.get_workflow(at, name)?),
        ("GET", ["workflows", name, "runs"]) => runs(site, asked, at, name),
        ("POST", ["workflows", name, "dispatches"]) => {
            let reference = asked.fields(call)?.needed("ref")?;
            site.dispatch(at, name, &reference)?;
            Ok(Reply::empty())
        }
        ("GET", ["runs"]) => runs(site, asked, at, ""),
        (_, ["runs", id, below @ ..]) => one_run(site, asked, at, call, number(call, id)?, below),
        ("GET", ["jobs", id]) => {
            let (run, job) = site.find_job(at, number(call, id)?, "")?;
            ok(site.job(run, job))
        }
        ("GET", ["jobs", id, "logs"]) => {
            let id = number(call, id)?;
            site.job_log(at, id)?;
            let repository = site.full_name();
            let path = format!("/raw/{repository}/actions/jobs/{id}/logs");
            Ok(Reply::elsewhere(format!("{}{path}", asked.origin())))
        }
        ("POST", ["jobs", id, "rerun"]) => {
            let id = number(call, id)?;
            accepted(site.rerun_job(at, id))
        }
        ("GET", ["artifacts"]) => ok(json!({"total_count": 0, "artifacts": []})),
        _ => nothing(call),
    }
}

fn one_run(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    id: u64,
    below: &[&str],
) -> Outcome {
    let page = asked.page();
    match (asked.method, below) {
        ("GET", []) => ok(site.get_run(at, id)?),
        ("GET", ["jobs"]) => counted(
            asked,
            site.list_jobs(at, id, asked.parameter("filter"), page)?,
        ),
        ("GET", ["timing"]) => ok(site.run_usage(at, id)?),
        ("GET", ["artifacts"]) => counted(asked, site.run_artifacts(at, id)?),
        ("POST", ["rerun"]) => accepted(site.rerun(at, id, false)),
        ("POST", ["rerun-failed-jobs"]) => accepted(site.rerun(at, id, true)),
        ("POST", ["cancel"]) => accepted(site.cancel_run(at, id)),
        ("DELETE", ["logs"]) => {
            site.delete_run_logs(at, id)?;
            Ok(Reply::empty())
        }
        _ => nothing(call),
    }
}

fn runs(site: &Site, asked: &Asked<'_>, at: &Named, workflow: &str) -> Outcome {
    let given = |name: &str| asked.parameter(name).to_owned();
    let list = RunList {
        workflow: workflow.to_owned(),
        actor: given("actor"),
        branch: given("branch"),
        event: given("event"),
        status: given("status"),
        head_sha: given("head_sha"),
    };
    counted(asked, site.list_runs(at, &list, asked.page())?)
}

/// The log of a job as a file, at the place that requests for it are sent to.
pub(super) fn raw_log(site: &Site, at: &Named, call: &Call, job: &str) -> Outcome {
    let log = site.job_log(at, number(call, job)?)?;
    Ok(Reply::bytes(
        "text/plain; charset=utf-8",
        log.as_bytes().to_vec(),
    ))
}

/// Check runs and check suites by their ids.
pub(super) fn checks(
    site: &Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    let suite = |text: &str| -> Result<&Run, crate::api::ApiError> {
        let id = Kind::CheckSuite.ordinal(number(call, text)?);
        let run = id.and_then(|id| site.hub.runs.run(id));
        run.ok_or_else(|| call.not_found())
    };
    match (asked.method, below) {
        ("GET", ["check-runs", id]) => {
            let (run, job) = site.find_job(at, number(call, id)?, "")?;
            ok(site.check_run(run, job))
        }
        ("GET", ["check-runs", id, "annotations"]) => {
            site.find_job(at, number(call, id)?, "")?;
            ok(json!([]))
        }
        ("GET", ["check-suites", id]) => ok(site.check_suite(suite(id)?)?),
        ("GET", ["check-suites", id, "check-runs"]) => {
            let run = suite(id)?;
            let jobs = site.hub.runs.latest_jobs(run);
            let all: Vec<Value> = jobs.map(|job| site.check_run(run, job)).collect();
            ok(json!({"total_count": all.len(), "check_runs": all}))
        }
        _ => nothing(call),
    }
}

/// What ran on a commit.
pub(super) fn of_commit(
    site: &Site,
    asked: &Asked<'_>,
    commit: crate::git::ObjectId,
    what: &str,
) -> Outcome {
    match what {
        "status" => ok(site.combined_status(commit)),
        "statuses" => Ok(Reply::list(asked, site.statuses(commit, false).into())),
        "check-runs" => {
            let name = asked.parameter("check_name");
            counted(asked, site.check_runs(commit, name, asked.page()))
        }
        _ => {
            let mut suites = Vec::new();
            for (run, _) in site.checked(commit) {
                suites.push(site.check_suite(run)?);
            }
            let Page { number, size, .. } = asked.page();
            let total = suites.len();
            let shown: Vec<Value> = suites
                .into_iter()
                .skip((number - 1) * size)
                .take(size)
                .collect();
            counted(asked, json!({"total_count": total, "check_suites": shown}))
        }
    }
}
