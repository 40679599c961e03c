//! MCP tools: arguments, operations on the [`RepositoryState`], and results in the format of the published server.

mod actions;
mod arguments;
mod commits;
mod context;
mod copilot;
mod decoded;
mod files;
mod gists;
mod go;
mod issues;
mod pulls;
mod repositories;
mod reviews;
mod search;
mod sub_issues;
#[cfg(test)]
mod tests;
mod v1;

use arguments::Arguments;
use decoded::{Decoded, PULL};
use mcpmark_service::{HttpRequest, HttpResponse, SessionLimits, ToolHandler, ToolSurface};
use mcpmark_snapshot::{MAX_ENTRIES, Tree};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

use crate::api::{ApiError, Refusal};
use crate::call::{self, Added, CallLimits, Interrupted};
use crate::ci::{Ci, CiError};
use crate::git::{GitError, ObjectId};
use crate::profile::Profile;
use crate::repository::RepositoryState;
use crate::rest;

/// Tools of one repository.
pub(crate) struct Tools {
    profile: Profile,
    surface: ToolSurface,
    repo: RepositoryState,
    /// Workflows of the repository. `None` if they are not run.
    ci: Option<Ci>,
    quota: Quota,
    /// Fault in the middle of a change, after which the session is unusable.
    fault: Option<Fault>,
}

/// Fault that was not caused by the client.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The repository of the world is damaged.
    World(String),
    /// The host failed.
    Host(String),
}

impl Fault {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::World(text) | Self::Host(text) => text,
        }
    }

    fn of_workflows(error: &CiError) -> Self {
        match error {
            CiError::Git(error) if !error.is_infrastructure() => Self::World(error.to_string()),
            error => Self::Host(error.to_string()),
        }
    }
}

/// Error of a call.
#[derive(Debug)]
enum Failure {
    /// Error of the client, returned as a tool result.
    ToolError(String),
    /// Error of the client, with a remedy in a second content block.
    SaidWith(String, String),
    /// Error response of GitHub, which each profile formats differently. The first text is the failed operation.
    Refused(String, Box<Refusal>),
    /// Error of the client, which the published server returns as a protocol error.
    Protocol(String),
    /// The call was cancelled by the client or by a limit.
    Cancelled,
    /// The repository is damaged.
    Damaged(String),
    /// The host failed.
    Host(String),
}

impl Failure {
    fn tool_error(text: impl Into<String>) -> Self {
        Self::ToolError(text.into())
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Interrupted(Interrupted::Cancelled) => Self::Cancelled,
            GitError::Interrupted(_) => Self::ToolError(error.to_string()),
            error if error.is_refusal() => Self::ToolError(error.to_string()),
            error if error.is_infrastructure() => Self::Host(error.to_string()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// Converts an error of the API to a tool result. `during` is the failed operation.
fn tool_error(during: impl std::fmt::Display) -> impl FnOnce(ApiError) -> Failure {
    move |error| match error {
        ApiError::Refused(refusal) => Failure::Refused(during.to_string(), refusal),
        ApiError::Git(error) => error.into(),
    }
}

/// Converts an error of the API to a protocol error. `during` is the failed operation.
fn protocol_error(during: impl std::fmt::Display) -> impl FnOnce(ApiError) -> Failure {
    move |error| match error {
        ApiError::Refused(refusal) => Failure::Protocol(format!("{during}: {refusal}")),
        ApiError::Git(error) => error.into(),
    }
}

/// Remaining quota of what calls may add to the world.
pub(crate) struct Quota {
    /// Remaining bytes.
    room: u64,
    /// Maximum size of the world in bytes.
    bytes: u64,
    /// Number of files and directories of the world at the start, plus the objects that were added. Files by which the
    /// default branch has grown are counted separately.
    files: u64,
    /// Maximum number of files and directories of the world and of a commit.
    most_files: u64,
}

impl Quota {
    /// Number of files reserved for the documents and the object directories of each world.
    const OWN_FILES: u64 = 512;

    /// Computes the quota of a world from its size and the limits. Returns an error if the world exceeds a limit.
    pub(crate) fn of(tree: &Tree, limits: &SessionLimits) -> Result<Self, String> {
        let (bytes, files) = (tree.total_size(), tree.len());
        let room = limits.max_bytes.checked_sub(bytes).ok_or_else(|| {
            let limit = limits.max_bytes;
            format!("the world has {bytes} bytes, more than the limit of {limit}")
        })?;
        if files > limits.max_files {
            let limit = limits.max_files;
            return Err(format!(
                "the world has {files} files and directories, more than the limit of {limit}"
            ));
        }
        let most = limits.max_files.min(MAX_ENTRIES - Self::OWN_FILES);
        Ok(Self {
            room,
            bytes: limits.max_bytes,
            files,
            most_files: most,
        })
    }
}

/// Charge of a call to the quota: the size of its arguments and [`CALL_BYTES`]. What it adds is charged in addition.
struct Written {
    reads: bool,
    said: u64,
}

/// Fixed charge of a call that changes something, in bytes: times, ids and names in documents.
const CALL_BYTES: u64 = 512;

/// Successful result of a tool.
enum Output {
    Text(String),
    /// Text, followed by an embedded resource.
    Resource(String, Value),
    /// Text, followed by a resource link.
    Link(String, Value),
}

type Outcome = Result<Output, Failure>;

/// Result with a response of GitHub in the given structure of Go.
fn shaped(shape: &str, value: Value) -> Outcome {
    written(&go::shaped(shape, value))
}

/// Result with JSON as it is.
fn written(value: &Value) -> Outcome {
    Ok(Output::Text(go::json(value)))
}

/// Result of most tools that change something: id and URL.
fn minimal(id: impl ToString, url: &Value) -> Outcome {
    written(&json!({"id": id.to_string(), "url": url}))
}

/// Size of the keys and strings in a value, in bytes.
fn size(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Array(values) => values.iter().map(size).sum(),
        Value::Object(values) => values
            .iter()
            .map(|(key, value)| key.len() as u64 + size(value))
            .sum(),
        _ => 0,
    }
}

impl ToolHandler for Tools {
    fn memory(&self) -> u64 {
        self.quota.bytes - self.quota.room
    }

    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        if let Some(fault) = &self.fault {
            return Err(ErrorData::internal_error(fault.text().to_owned(), None));
        }
        let Some(known) = self.surface.tools.iter().find(|known| known.name == tool) else {
            let problem = format!("tool '{tool}' not found: tool not found");
            return Err(ErrorData::invalid_params(problem, None));
        };
        let hints = known.annotations.as_ref();
        let reads = hints.and_then(|hints| hints.read_only_hint) == Some(true);
        let said = if reads {
            0
        } else {
            arguments.iter().map(|(_, value)| size(value)).sum()
        };
        let Ok(written) = self.begin(reads, said) else {
            let problem = GitError::Full.to_string();
            return Ok(CallToolResult::error(vec![ContentBlock::text(problem)]));
        };
        let mut answered = self.answer(tool, &Arguments(arguments));
        if self.settle(reads || answered.is_err()) {
            answered = Err(Failure::Cancelled);
        }
        // Even a refused call may have moved a branch.
        if let Err(error) = self.run_workflows() {
            answered = Err(match Fault::of_workflows(&error) {
                Fault::World(problem) => Failure::Damaged(problem),
                Fault::Host(problem) => Failure::Host(problem),
            });
        }
        self.end(written);
        match answered {
            Ok(Output::Text(text)) => Ok(CallToolResult::success(vec![ContentBlock::text(text)])),
            Ok(Output::Resource(text, block) | Output::Link(text, block)) => {
                let block = match block.get("type") {
                    Some(_) => block,
                    None => json!({"type": "resource", "resource": block}),
                };
                let block = serde_json::from_value(block)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                Ok(CallToolResult::success(vec![
                    ContentBlock::text(text),
                    block,
                ]))
            }
            Err(Failure::Refused(during, refusal)) => {
                let text = match self.profile {
                    Profile::V0_15_0 => format!("{during}: {refusal}"),
                    Profile::V1_10_1 => v1::worded(&during, &refusal),
                };
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
            }
            Err(Failure::ToolError(text)) => {
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
            }
            Err(Failure::SaidWith(text, way)) => Ok(CallToolResult::error(vec![
                ContentBlock::text(text),
                ContentBlock::text(way),
            ])),
            Err(Failure::Protocol(text)) => Err(ErrorData::internal_error(text, None)),
            Err(Failure::Cancelled) => {
                let problem = Interrupted::Cancelled.to_string();
                Err(ErrorData::internal_error(problem, None))
            }
            // A read-only call cannot have left a partial change.
            Err(Failure::Damaged(problem)) if reads => {
                Err(ErrorData::internal_error(problem, None))
            }
            Err(Failure::Damaged(problem)) => Err(self.lose(Fault::World(problem))),
            Err(Failure::Host(problem)) => Err(self.lose(Fault::Host(problem))),
        }
    }
}

impl Tools {
    /// Creates the tools of a repository. The quota limits what calls may add. Without `ci`, workflows are not run.
    pub(crate) fn new(
        profile: Profile,
        surface: ToolSurface,
        repo: RepositoryState,
        ci: Option<Ci>,
        quota: Quota,
    ) -> Self {
        Self {
            profile,
            surface,
            repo,
            ci,
            quota,
            fault: None,
        }
    }

    /// Returns the repository, or the fault that made the session unusable.
    pub(crate) fn repo(&self) -> Result<&RepositoryState, &Fault> {
        match &self.fault {
            Some(fault) => Err(fault),
            None => Ok(&self.repo),
        }
    }

    /// Begins a call whose arguments have `said` bytes. These and a fixed charge count towards the quota, in addition
    /// to what the call adds. Read-only calls are not charged, and their objects are discarded.
    ///
    /// # Errors
    ///
    /// Returns [`GitError::Full`] if the quota does not suffice for the charge.
    fn begin(&mut self, reads: bool, said: u64) -> Result<Written, GitError> {
        let said = if reads {
            0
        } else {
            said.saturating_add(CALL_BYTES)
        };
        let bytes = self.quota.room.checked_sub(said).ok_or(GitError::Full)?;
        call::begin(if reads {
            CallLimits::ENOUGH
        } else {
            CallLimits {
                bytes,
                files: self.room_for_files(),
                files_of_commit: self.quota.most_files,
            }
        });
        self.repo.git.begin();
        Ok(Written { reads, said })
    }

    /// Number of files that may still be added. Files of the default branch are counted as they are now.
    fn room_for_files(&self) -> u64 {
        let (git, hub) = (&self.repo.git, &self.repo.hub);
        let files = |commit: Option<ObjectId>| -> Result<u64, GitError> {
            commit.map_or(Ok(0), |commit| git.files_below(git.tree_of(commit)?))
        };
        let first = format!("refs/heads/{}", hub.first_default_branch);
        let before = files(git.base().refs().get(&first).copied());
        let now = files(git.branch(&hub.repository.default_branch));
        // Errors of reading are reported by the operation that needs the data.
        let (before, now) = (before.unwrap_or(0), now.unwrap_or(0));
        let all = self.quota.files.saturating_add(now).saturating_sub(before);
        self.quota.most_files.saturating_sub(all)
    }

    /// Discards the objects of a call that has changed nothing, if `leaves_nothing` is set or the call was cancelled.
    /// Returns true if the call was cancelled before it changed anything.
    fn settle(&mut self, leaves_nothing: bool) -> bool {
        if call::has_changed() {
            return false;
        }
        let cancelled = call::checkpoint().is_err();
        if leaves_nothing || cancelled {
            self.repo.git.discard();
            call::discard_added();
        }
        cancelled
    }

    fn run_workflows(&mut self) -> Result<(), CiError> {
        match &mut self.ci {
            Some(ci) => ci.run_workflows(&mut self.repo),
            None => Ok(()),
        }
    }

    /// Ends a call, and charges it to the quota.
    fn end(&mut self, written: Written) {
        let changed = call::has_changed();
        let added = call::end();
        if !written.reads && (changed || added != Added::default()) {
            let bytes = written.said.saturating_add(added.bytes);
            self.quota.room = self.quota.room.saturating_sub(bytes);
            self.quota.files += added.objects;
        }
    }

    /// Records a fault that makes the session unusable.
    fn lose(&mut self, fault: Fault) -> ErrorData {
        let error = ErrorData::internal_error(fault.text().to_owned(), None);
        self.fault = Some(fault);
        error
    }

    /// Answers a REST request on the same repository, within the same quota.
    pub(crate) fn rest(&mut self, request: &HttpRequest) -> HttpResponse {
        if let Some(fault) = &self.fault {
            return rest::message(500, fault.text());
        }
        let reads = rest::reads(request);
        let said = if reads { 0 } else { request.body.len() as u64 };
        let Ok(written) = self.begin(reads, said) else {
            return rest::message(422, &GitError::Full.to_string());
        };
        let mut answered = rest::respond(&mut self.repo, request);
        let failed = match &answered {
            Ok(response) => response.status >= 400,
            Err(_) => true,
        };
        if self.settle(reads || failed) {
            let problem = Interrupted::Cancelled.to_string();
            answered = Ok(rest::message(503, &problem));
        }
        if let Err(error) = self.run_workflows() {
            answered = Err(error);
        }
        self.end(written);
        let fault = match answered {
            Ok(response) => return response,
            Err(error) => Fault::of_workflows(&error),
        };
        let response = rest::message(500, fault.text());
        if !reads || matches!(fault, Fault::Host(_)) {
            self.fault = Some(fault);
        }
        response
    }

    fn answer(&mut self, tool: &str, with: &Arguments) -> Outcome {
        let repo = &mut self.repo;
        if self.profile == Profile::V1_10_1 {
            let answer = v1::answer(repo, tool, with);
            return answer
                .unwrap_or_else(|| Err(Failure::Host(format!("tool {tool} is not implemented"))));
        }
        match tool {
            "get_me" => context::get_me(repo),
            "get_teams" => context::get_teams(repo, with),
            "get_team_members" => context::get_team_members(repo, with),
            "list_issue_types" => context::list_issue_types(repo, with),

            "get_file_contents" => files::get_file_contents(repo, with),
            "create_or_update_file" => files::create_or_update_file(repo, with),
            "push_files" => files::push_files(repo, with, self.profile),
            "delete_file" => files::delete_file(repo, with),
            "create_branch" => files::create_branch(repo, with),

            "get_commit" => commits::get_commit(repo, with),
            "list_commits" => commits::list_commits(repo, with),
            "list_branches" => commits::list_branches(repo, with),
            "list_tags" => commits::list_tags(repo, with),
            "get_tag" => commits::get_tag(repo, with),

            "list_releases" => repositories::list_releases(repo, with),
            "get_latest_release" => repositories::get_latest_release(repo, with),
            "get_release_by_tag" => repositories::get_release_by_tag(repo, with),
            "create_repository" => repositories::create_repository(repo, with),
            "fork_repository" => repositories::fork_repository(repo, with),

            "list_gists" => gists::list(repo, with, self.profile),

            "search_repositories" => search::repositories(repo, with),
            "search_code" => search::code(repo, with),
            "search_users" => search::users(repo, with, "user"),
            "search_orgs" => search::users(repo, with, "org"),
            "search_issues" => search::issues(repo, with, "issue"),
            "search_pull_requests" => search::issues(repo, with, "pr"),

            "get_issue" => issues::get_issue(repo, with),
            "list_issues" => issues::list_issues(repo, with, self.profile),
            "create_issue" => issues::create_issue(repo, with),
            "update_issue" => issues::update_issue(repo, with),
            "add_issue_comment" => issues::add_issue_comment(repo, with),
            "get_issue_comments" => issues::get_issue_comments(repo, with),

            "assign_copilot_to_issue" => copilot::assign(repo, with, self.profile),
            "request_copilot_review" => copilot::request_review(repo, with),

            "list_sub_issues" => sub_issues::list(repo, with),
            "add_sub_issue" => sub_issues::add(repo, with),
            "remove_sub_issue" => sub_issues::remove(repo, with),
            "reprioritize_sub_issue" => sub_issues::reprioritize(repo, with),

            "get_pull_request" => pulls::get_pull_request(repo, with),
            "list_pull_requests" => pulls::list_pull_requests(repo, with),
            "create_pull_request" => pulls::create_pull_request(repo, with),
            "update_pull_request" => pulls::update_pull_request(repo, with),
            "merge_pull_request" => pulls::merge_pull_request(repo, with),
            "update_pull_request_branch" => pulls::update_pull_request_branch(repo, with),
            "get_pull_request_files" => pulls::get_pull_request_files(repo, with),
            "get_pull_request_diff" => pulls::get_pull_request_diff(repo, with),
            "get_pull_request_status" => pulls::get_pull_request_status(repo, with),

            "get_pull_request_reviews" => reviews::get_reviews(repo, with),
            "get_pull_request_review_comments" => reviews::get_review_comments(repo, with),
            "create_and_submit_pull_request_review" => {
                let fields = [PULL, reviews::REVIEW, reviews::COMMIT];
                reviews::create_and_submit(repo, &Decoded::strict(with, &fields)?)
            }
            "create_pending_pull_request_review" => {
                let fields = [PULL, reviews::COMMIT];
                reviews::create_pending(repo, &Decoded::strict(with, &fields)?)
            }
            "add_comment_to_pending_review" => {
                let fields = [PULL, reviews::COMMENT];
                reviews::add_comment(repo, &Decoded::strict(with, &fields)?)
            }
            "submit_pending_pull_request_review" => {
                let fields = [PULL, reviews::SUBMITTED];
                reviews::submit_pending(repo, &Decoded::strict(with, &fields)?)
            }
            "delete_pending_pull_request_review" => {
                reviews::delete_pending(repo, &Decoded::strict(with, &[PULL])?)
            }

            "list_workflows" => actions::list_workflows(repo, with),
            "list_workflow_runs" => actions::list_workflow_runs(repo, with),
            "get_workflow_run" => actions::get_workflow_run(repo, with),
            "get_workflow_run_logs" => actions::get_workflow_run_logs(repo, with),
            "list_workflow_jobs" => actions::list_workflow_jobs(repo, with),
            "get_job_logs" => actions::get_job_logs(repo, with),
            "get_workflow_run_usage" => actions::get_workflow_run_usage(repo, with),
            "list_workflow_run_artifacts" => actions::list_workflow_run_artifacts(repo, with),
            "download_workflow_run_artifact" => actions::download_workflow_run_artifact(repo, with),
            "run_workflow" => actions::run_workflow(repo, with),
            "rerun_workflow_run" => actions::rerun_workflow_run(repo, with),
            "rerun_failed_jobs" => actions::rerun_failed_jobs(repo, with),
            "cancel_workflow_run" => actions::cancel_workflow_run(repo, with),
            "delete_workflow_run_logs" => actions::delete_workflow_run_logs(repo, with),
            _ => Err(Failure::Host(format!("tool {tool} is not implemented"))),
        }
    }
}
