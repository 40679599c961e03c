//! Tools for workflows, runs and jobs: one to list, one to get, and one to run.

use serde_json::Value;

use super::{minimal, tool_error, unknown};
use crate::api::RunList;
use crate::repository::RepositoryState;
use crate::tools::actions as single;
use crate::tools::arguments::Arguments;
use crate::tools::{Failure, Outcome, protocol_error, shaped, written};

/// Shortened workflow run.
fn run(mut view: Value) -> Value {
    for key in ["actor", "triggering_actor"] {
        view[key] = minimal::user(&view[key]);
    }
    let message = view["head_commit"]["message"].clone();
    view["head_commit"] = match message {
        Value::Null => Value::Null,
        message => serde_json::json!({"message": message}),
    };
    let pulls = view["pull_requests"].as_array().into_iter().flatten();
    view["pull_requests"] = pulls.map(|pull| pull["number"].clone()).collect();
    minimal::picked(
        &view,
        "id! name! display_title workflow_id! run_number! run_attempt! event status! conclusion head_branch head_sha \
         head_commit path html_url pull_requests actor triggering_actor referenced_workflows created_at updated_at \
         run_started_at",
    )
}

/// Shortened job.
fn job(mut view: Value) -> Value {
    let steps = view["steps"].as_array().into_iter().flatten();
    let keys = "name! status! conclusion number! started_at completed_at";
    view["steps"] = steps.map(|step| minimal::picked(step, keys)).collect();
    minimal::picked(
        &view,
        "id! run_id! name! workflow_name status! conclusion head_branch head_sha html_url run_attempt runner_id \
         runner_name runner_group_id runner_group_name labels steps created_at started_at completed_at",
    )
}

/// Reads the id in `resource_id`.
fn id(with: &Arguments, method: &str) -> Result<u64, Failure> {
    let text = with.optional_text("resource_id")?;
    if text.is_empty() {
        return Err(Failure::ToolError(format!(
            "missing required parameter for method {method}: resource_id"
        )));
    }
    let parsed = text.parse::<i64>().map_err(|_| {
        Failure::ToolError(format!(
            "invalid resource_id, must be an integer for method {method}: strconv.ParseInt: parsing {text:?}: invalid \
             syntax"
        ))
    })?;
    Ok(u64::try_from(parsed).unwrap_or(0))
}

/// Reads a filter of a list from an argument that is an object.
fn filter(with: &Arguments, object: &str, name: &str) -> String {
    let given = with
        .0
        .get(object)
        .and_then(|filters| filters[name].as_str());
    given.unwrap_or_default().to_owned()
}

pub(super) fn list(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let method = with.text("method")?;
    let page = with.page()?;
    match method.as_str() {
        "list_workflows" => {
            let list = repo.list_workflows(&at, page);
            shaped(
                "Workflows",
                list.map_err(tool_error("failed to list workflows"))?,
            )
        }
        "list_workflow_runs" => {
            let from = |name| filter(with, "workflow_runs_filter", name);
            let list = RunList {
                workflow: with.optional_text("resource_id")?,
                actor: from("actor"),
                branch: from("branch"),
                event: from("event"),
                status: from("status"),
                head_sha: String::new(),
            };
            let found = repo.list_runs(&at, &list, page);
            let mut found = found.map_err(tool_error("failed to list workflow runs"))?;
            let runs = minimal::entries(found["workflow_runs"].take())?;
            found["workflow_runs"] = runs.into_iter().map(run).collect();
            written(&found)
        }
        "list_workflow_jobs" => {
            let id = id(with, &method)?;
            let filter = filter(with, "workflow_jobs_filter", "filter");
            let found = repo.list_jobs(&at, id, &filter, page);
            let mut found = found.map_err(tool_error("failed to list workflow jobs"))?;
            let jobs = minimal::entries(found["jobs"].take())?;
            found["jobs"] = jobs.into_iter().map(job).collect();
            written(&serde_json::json!({"jobs": found}))
        }
        "list_workflow_run_artifacts" => {
            let found = repo.run_artifacts(&at, id(with, &method)?);
            let during = "failed to list workflow run artifacts";
            shaped("ArtifactList", found.map_err(tool_error(during))?)
        }
        _ => {
            id(with, &method)?;
            Err(unknown(&method))
        }
    }
}

/// Arguments with an additional id, for a tool of v0.15.0 with one subject.
fn about(with: &Arguments, name: &str, id: u64) -> Arguments {
    let mut own = with.0.clone();
    own.insert(name.to_owned(), id.into());
    Arguments(own)
}

pub(super) fn get(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let method = with.text("method")?;
    let resource = with.text("resource_id")?;
    if method == "get_workflow" {
        let found = repo.get_workflow(&at, &resource);
        return shaped(
            "Workflow",
            found.map_err(tool_error("failed to get workflow"))?,
        );
    }
    let id = id(with, &method)?;
    match method.as_str() {
        "get_workflow_run" => {
            let found = repo.get_run(&at, id);
            written(&run(
                found.map_err(tool_error("failed to get workflow run"))?
            ))
        }
        "get_workflow_job" => {
            let found = repo
                .find_job(&at, id, "")
                .map(|(run, job)| repo.job(run, job));
            written(&job(
                found.map_err(tool_error("failed to get workflow job"))?
            ))
        }
        "download_workflow_run_artifact" => {
            single::download_workflow_run_artifact(repo, &about(with, "artifact_id", id))
        }
        "get_workflow_run_usage" => {
            let found = repo.run_usage(&at, id);
            written(&found.map_err(protocol_error("failed to get workflow run usage"))?)
        }
        "get_workflow_run_logs_url" => {
            single::get_workflow_run_logs(repo, &about(with, "run_id", id))
        }
        _ => Err(unknown(&method)),
    }
}

pub(super) fn run_trigger(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    with.repository()?;
    let method = with.text("method")?;
    if method == "run_workflow" {
        let (workflow, reference) = (
            with.optional_text("workflow_id")?,
            with.optional_text("ref")?,
        );
        for (name, value) in [("workflow_id", workflow), ("ref", reference)] {
            if value.is_empty() {
                return Err(Failure::ToolError(format!(
                    "{name} is required for run_workflow action"
                )));
            }
        }
        return single::run_workflow(repo, with);
    }
    if with.optional_number("run_id")? == 0 {
        return Err(Failure::tool_error("missing required parameter: run_id"));
    }
    match method.as_str() {
        "rerun_workflow_run" => single::rerun_workflow_run(repo, with),
        "rerun_failed_jobs" => single::rerun_failed_jobs(repo, with),
        "cancel_workflow_run" => single::cancel_workflow_run(repo, with),
        "delete_workflow_run_logs" => single::delete_workflow_run_logs(repo, with),
        _ => Err(unknown(&method)),
    }
}
