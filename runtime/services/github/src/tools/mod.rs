//! The tools: arguments, what they do on the [`Site`], and results in the words of the real server.

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
use crate::call::{self, Added, Interrupted, Room};
use crate::ci::CiError;
use crate::git::{GitError, ObjectId};
use crate::profile::Profile;
use crate::rest;
use crate::view::Site;

/// The tools over one repository.
pub(crate) struct Tools {
    profile: Profile,
    surface: ToolSurface,
    site: Site,
    quota: Quota,
    /// What went wrong in the midst of a change; the world is lost then.
    fault: Option<Fault>,
}

/// What nobody who calls is to blame for.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The repository of the world is damaged.
    World(String),
    /// The machine failed.
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

/// Why a call failed.
#[derive(Debug)]
enum Failure {
    /// The agent's doing; a result that says so.
    Said(String),
    /// The same, and the way out in a text of its own.
    SaidWith(String, String),
    /// A refusal of GitHub, which each version words in its own way.
    Refused(String, Box<Refusal>),
    /// The agent's doing; the real server answers with an error of the protocol.
    Protocol(String),
    /// The client or a limit cancelled the call.
    Cancelled,
    /// The repository is damaged.
    Damaged(String),
    /// The machine is at fault.
    Host(String),
}

impl Failure {
    fn said(text: impl Into<String>) -> Self {
        Self::Said(text.into())
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Interrupted(Interrupted::Cancelled) => Self::Cancelled,
            GitError::Interrupted(_) => Self::Said(error.to_string()),
            error if error.is_refusal() => Self::Said(error.to_string()),
            error if error.is_infrastructure() => Self::Host(error.to_string()),
            error => Self::Damaged(error.to_string()),
        }
    }
}

/// Words a refusal as a result.
fn said(during: impl std::fmt::Display) -> impl FnOnce(ApiError) -> Failure {
    move |error| match error {
        ApiError::Refused(refusal) => Failure::Refused(during.to_string(), refusal),
        ApiError::Git(error) => error.into(),
    }
}

/// Words a refusal as an error of the protocol.
fn protocol(during: impl std::fmt::Display) -> impl FnOnce(ApiError) -> Failure {
    move |error| match error {
        ApiError::Refused(refusal) => Failure::Protocol(format!("{during}: {refusal}")),
        ApiError::Git(error) => error.into(),
    }
}

/// What calls may still add to the world.
pub(crate) struct Quota {
    /// Bytes that may still be added.
    room: u64,
    /// The bytes that the world had at the start, and the room that there was.
    bytes: u64,
    /// Files and directories that the world had at the start, and objects that were added. Files by which the default
    /// branch has grown come on top.
    files: u64,
    /// The most that it may have, and that a commit may have.
    most_files: u64,
}

impl Quota {
    /// Files that the state of any world has: its documents, and the directories of objects.
    const OWN_FILES: u64 = 512;

    /// The quota of a world of so many bytes and files; none where it has more than it may.
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

/// What a call takes of the room where it changes something: the bytes that were said, and all that is added.
struct Written {
    reads: bool,
    said: u64,
}

/// What a call that changes something takes beside what it says: times, ids and names in documents.
const CALL_BYTES: u64 = 512;

/// What a tool gives.
enum Output {
    Text(String),
    /// A text, and a resource after it.
    Resource(String, Value),
    /// A text, and a link to a resource after it.
    Link(String, Value),
}

type Outcome = Result<Output, Failure>;

/// A result that is an answer of GitHub in a shape of Go.
fn shaped(shape: &str, value: Value) -> Outcome {
    written(&go::shaped(shape, value))
}

/// A result that is JSON as it stands.
fn written(value: &Value) -> Outcome {
    Ok(Output::Text(go::json(value)))
}

/// What most tools that change something answer.
fn minimal(id: impl ToString, url: &Value) -> Outcome {
    written(&json!({"id": id.to_string(), "url": url}))
}

/// The bytes of a value's texts.
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
        // Even a call that was refused may have moved something before it was.
        if let Err(error) = self.site.run_workflows() {
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
            Err(Failure::Said(text)) => Ok(CallToolResult::error(vec![ContentBlock::text(text)])),
            Err(Failure::SaidWith(text, way)) => Ok(CallToolResult::error(vec![
                ContentBlock::text(text),
                ContentBlock::text(way),
            ])),
            Err(Failure::Protocol(text)) => Err(ErrorData::internal_error(text, None)),
            Err(Failure::Cancelled) => {
                let problem = Interrupted::Cancelled.to_string();
                Err(ErrorData::internal_error(problem, None))
            }
            // What only reads has left everything as it was.
            Err(Failure::Damaged(problem)) if reads => {
                Err(ErrorData::internal_error(problem, None))
            }
            Err(Failure::Damaged(problem)) => Err(self.lose(Fault::World(problem))),
            Err(Failure::Host(problem)) => Err(self.lose(Fault::Host(problem))),
        }
    }
}

impl Tools {
    /// The tools of a world that calls may add to as far as the quota goes.
    pub(crate) fn new(profile: Profile, surface: ToolSurface, site: Site, quota: Quota) -> Self {
        Self {
            profile,
            surface,
            site,
            quota,
            fault: None,
        }
    }

    /// The repository, unless it is lost.
    pub(crate) fn site(&self) -> Result<&Site, &Fault> {
        match &self.fault {
            Some(fault) => Err(fault),
            None => Ok(&self.site),
        }
    }

    /// Begins a call that says so many bytes, as far as there is room for them: what it takes of the room, whatever
    /// it adds beside that. A call that only reads takes nothing, and leaves nothing behind.
    fn begin(&mut self, reads: bool, said: u64) -> Result<Written, GitError> {
        let said = if reads {
            0
        } else {
            said.saturating_add(CALL_BYTES)
        };
        let bytes = self.quota.room.checked_sub(said).ok_or(GitError::Full)?;
        call::begin(if reads {
            Room::ENOUGH
        } else {
            Room {
                bytes,
                files: self.room_for_files(),
                files_of_commit: self.quota.most_files,
            }
        });
        self.site.git.begin();
        Ok(Written { reads, said })
    }

    /// The files that may still be added. Those of the default branch are in the state as they are now.
    fn room_for_files(&self) -> u64 {
        let (git, hub) = (&self.site.git, &self.site.hub);
        let files = |commit: Option<ObjectId>| -> Result<u64, GitError> {
            commit.map_or(Ok(0), |commit| git.files_below(git.tree_of(commit)?))
        };
        let first = format!("refs/heads/{}", hub.first_default_branch);
        let before = files(git.base().refs().get(&first).copied());
        let now = files(git.branch(&hub.repository.default_branch));
        // What cannot be read shows where it is needed.
        let (before, now) = (before.unwrap_or(0), now.unwrap_or(0));
        let all = self.quota.files.saturating_add(now).saturating_sub(before);
        self.quota.most_files.saturating_sub(all)
    }

    /// Discards the objects of a call that has changed nothing and leaves none; whether it was cancelled in time.
    fn settle(&mut self, leaves_nothing: bool) -> bool {
        if call::has_changed() {
            return false;
        }
        let cancelled = call::checkpoint().is_err();
        if leaves_nothing || cancelled {
            self.site.git.discard();
            call::discard_added();
        }
        cancelled
    }

    /// Ends a call, and takes what it wrote from the room.
    fn end(&mut self, written: Written) {
        let changed = call::has_changed();
        let added = call::end();
        if !written.reads && (changed || added != Added::default()) {
            let bytes = written.said.saturating_add(added.bytes);
            self.quota.room = self.quota.room.saturating_sub(bytes);
            self.quota.files += added.objects;
        }
    }

    /// Notes that the world is lost.
    fn lose(&mut self, fault: Fault) -> ErrorData {
        let error = ErrorData::internal_error(fault.text().to_owned(), None);
        self.fault = Some(fault);
        error
    }

    /// Answers a REST request on the same repository, within the same limits.
    pub(crate) fn rest(&mut self, request: &HttpRequest) -> HttpResponse {
        if let Some(fault) = &self.fault {
            return rest::message(500, fault.text());
        }
        let reads = rest::reads(request);
        let said = if reads { 0 } else { request.body.len() as u64 };
        let Ok(written) = self.begin(reads, said) else {
            return rest::message(422, &GitError::Full.to_string());
        };
        let mut answered = rest::respond(&mut self.site, request);
        let failed = match &answered {
            Ok(response) => response.status >= 400,
            Err(_) => true,
        };
        if self.settle(reads || failed) {
            let problem = Interrupted::Cancelled.to_string();
            answered = Ok(rest::message(503, &problem));
        }
        if let Err(error) = self.site.run_workflows() {
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
        let site = &mut self.site;
        if self.profile == Profile::V1_10_1 {
            let answer = v1::answer(site, tool, with);
            return answer
                .unwrap_or_else(|| Err(Failure::Host(format!("tool {tool} has no code"))));
        }
        match tool {
            "get_me" => context::get_me(site),
            "get_teams" => context::get_teams(site, with),
            "get_team_members" => context::get_team_members(site, with),
            "list_issue_types" => context::list_issue_types(site, with),

            "get_file_contents" => files::get_file_contents(site, with),
            "create_or_update_file" => files::create_or_update_file(site, with),
            "push_files" => files::push_files(site, with, self.profile),
            "delete_file" => files::delete_file(site, with),
            "create_branch" => files::create_branch(site, with),

            "get_commit" => commits::get_commit(site, with),
            "list_commits" => commits::list_commits(site, with),
            "list_branches" => commits::list_branches(site, with),
            "list_tags" => commits::list_tags(site, with),
            "get_tag" => commits::get_tag(site, with),

            "list_releases" => repositories::list_releases(site, with),
            "get_latest_release" => repositories::get_latest_release(site, with),
            "get_release_by_tag" => repositories::get_release_by_tag(site, with),
            "create_repository" => repositories::create_repository(site, with),
            "fork_repository" => repositories::fork_repository(site, with),

            "list_gists" => gists::list(site, with, self.profile),

            "search_repositories" => search::repositories(site, with),
            "search_code" => search::code(site, with),
            "search_users" => search::users(site, with, "user"),
            "search_orgs" => search::users(site, with, "org"),
            "search_issues" => search::issues(site, with, "issue"),
            "search_pull_requests" => search::issues(site, with, "pr"),

            "get_issue" => issues::get_issue(site, with),
            "list_issues" => issues::list_issues(site, with, self.profile),
            "create_issue" => issues::create_issue(site, with),
            "update_issue" => issues::update_issue(site, with),
            "add_issue_comment" => issues::add_issue_comment(site, with),
            "get_issue_comments" => issues::get_issue_comments(site, with),

            "assign_copilot_to_issue" => copilot::assign(site, with, self.profile),
            "request_copilot_review" => copilot::request_review(site, with),

            "list_sub_issues" => sub_issues::list(site, with),
            "add_sub_issue" => sub_issues::add(site, with),
            "remove_sub_issue" => sub_issues::remove(site, with),
            "reprioritize_sub_issue" => sub_issues::reprioritize(site, with),

            "get_pull_request" => pulls::get_pull_request(site, with),
            "list_pull_requests" => pulls::list_pull_requests(site, with),
            "create_pull_request" => pulls::create_pull_request(site, with),
            "update_pull_request" => pulls::update_pull_request(site, with),
            "merge_pull_request" => pulls::merge_pull_request(site, with),
            "update_pull_request_branch" => pulls::update_pull_request_branch(site, with),
            "get_pull_request_files" => pulls::get_pull_request_files(site, with),
            "get_pull_request_diff" => pulls::get_pull_request_diff(site, with),
            "get_pull_request_status" => pulls::get_pull_request_status(site, with),

            "get_pull_request_reviews" => reviews::get_reviews(site, with),
            "get_pull_request_review_comments" => reviews::get_review_comments(site, with),
            "create_and_submit_pull_request_review" => {
                let fields = [PULL, reviews::REVIEW, reviews::COMMIT];
                reviews::create_and_submit(site, &Decoded::strict(with, &fields)?)
            }
            "create_pending_pull_request_review" => {
                let fields = [PULL, reviews::COMMIT];
                reviews::create_pending(site, &Decoded::strict(with, &fields)?)
            }
            "add_comment_to_pending_review" => {
                let fields = [PULL, reviews::COMMENT];
                reviews::add_comment(site, &Decoded::strict(with, &fields)?)
            }
            "submit_pending_pull_request_review" => {
                let fields = [PULL, reviews::SUBMITTED];
                reviews::submit_pending(site, &Decoded::strict(with, &fields)?)
            }
            "delete_pending_pull_request_review" => {
                reviews::delete_pending(site, &Decoded::strict(with, &[PULL])?)
            }

            "list_workflows" => actions::list_workflows(site, with),
            "list_workflow_runs" => actions::list_workflow_runs(site, with),
            "get_workflow_run" => actions::get_workflow_run(site, with),
            "get_workflow_run_logs" => actions::get_workflow_run_logs(site, with),
            "list_workflow_jobs" => actions::list_workflow_jobs(site, with),
            "get_job_logs" => actions::get_job_logs(site, with),
            "get_workflow_run_usage" => actions::get_workflow_run_usage(site, with),
            "list_workflow_run_artifacts" => actions::list_workflow_run_artifacts(site, with),
            "download_workflow_run_artifact" => actions::download_workflow_run_artifact(site, with),
            "run_workflow" => actions::run_workflow(site, with),
            "rerun_workflow_run" => actions::rerun_workflow_run(site, with),
            "rerun_failed_jobs" => actions::rerun_failed_jobs(site, with),
            "cancel_workflow_run" => actions::cancel_workflow_run(site, with),
            "delete_workflow_run_logs" => actions::delete_workflow_run_logs(site, with),
            _ => Err(Failure::Host(format!("tool {tool} has no code"))),
        }
    }
}
