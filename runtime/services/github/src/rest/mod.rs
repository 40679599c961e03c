//! REST API of GitHub for one repository, with the few GraphQL queries that clients use.
//!
//! The router does no I/O. It maps a request to a response, with the same operations and objects as the tools. Paths
//! begin at the root (`/repos/…`, as on `api.github.com`) or with `/api/v3` (as on GitHub Enterprise Server). Raw files
//! are at `/raw/<owner>/<repository>/<ref>/<path>`. URLs in objects are those of github.com; URLs in `Link` begin with
//! the origin of the client's request.
//!
//! Requests are made as the viewer of the world, and tokens are ignored. Any repository but that of the world is not
//! found.

mod accounts;
mod actions;
mod archives;
mod etag;
mod events;
mod git_data;
mod graphql;
mod issues;
mod labels;
mod parsed_request;
mod people;
mod pulls;
mod releases;
mod remarks;
mod reply;
mod repository;
mod reviews;
mod search;
mod settings;

use std::path::Path;
use std::sync::Arc;

use mcpmark_service::{CallMeter, DEFAULT_CALL_MEMORY, HttpRequest, HttpResponse};
use mcpmark_snapshot::{Blobs, Tree};
use parsed_request::Request;
pub(crate) use reply::message;
use reply::{Outcome, Reply};

use crate::api::{ApiError, Call, RepositoryName};
use crate::ci::{Ci, CiError, Runner};
use crate::git::GitError;
use crate::hub::Time;
use crate::repository::RepositoryState;
use crate::world::{self, WorldError};

/// Limit on the size of request bodies and new objects that a script may add to its copy, in bytes.
pub const MAX_ADDED: u64 = 64 << 20;

/// Maximum number of workflow runs that requests of a script may trigger.
pub const MAX_RUNS: u64 = 1_000;

/// Copy of a world that is accessed only over REST, such as a final state that a script grades. Changes to it are
/// discarded with it.
pub struct Rest {
    repo: RepositoryState,
    /// Workflows of the copy. `None` if they are not run.
    ci: Option<Ci>,
    /// Total size of the bodies of writing requests, in bytes.
    said: u64,
}

/// Error of answering a request.
#[derive(Debug, thiserror::Error)]
pub enum RestError {
    /// The repository is damaged, or its workflows could not be run.
    #[error(transparent)]
    Failed(#[from] CiError),
    /// The requests exceeded [`MAX_ADDED`].
    #[error("requests add more than {} MiB to the script's copy of the repository (fixed)", MAX_ADDED >> 20)]
    Full,
}

impl Rest {
    /// Opens the world in a tree. The objects of its repository are copied below `scratch`, and deleted when this is
    /// dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if the tree is not a valid world of this service.
    pub fn open(
        tree: &Tree,
        blobs: &dyn Blobs,
        scratch: &Path,
        clock: i64,
    ) -> Result<Self, WorldError> {
        let world::Opened { hub, git, .. } = world::open(tree, blobs, scratch, clock)?;
        let repo = RepositoryState::new(hub, git);
        Ok(Self {
            repo,
            ci: None,
            said: 0,
        })
    }

    /// Sets the runner of the workflows that requests trigger. Their number is limited to [`MAX_RUNS`].
    #[must_use]
    pub fn with_runner(mut self, runner: Arc<dyn Runner>) -> Self {
        let mut ci = Ci::new(runner, &mut self.repo);
        ci.limit(MAX_RUNS);
        self.ci = Some(ci);
        self
    }

    /// Answers a request. Changes are made at the time `now`, in seconds since 1970-01-01T00:00:00Z, or at the current
    /// time of the world if that is later.
    ///
    /// # Errors
    ///
    /// Returns an error if the repository is damaged, if workflows cannot be run, or if the limit on added bytes is
    /// exceeded. Further requests must not be made after an error.
    pub fn answer(&mut self, request: &HttpRequest, now: i64) -> Result<HttpResponse, RestError> {
        if !reads(request) {
            let hub = &mut self.repo.hub;
            hub.now = hub.now.max(Time(now));
            self.said = self.said.saturating_add(request.body.len() as u64);
            if self.said > MAX_ADDED {
                return Err(RestError::Full);
            }
        }
        let meter = CallMeter::new(DEFAULT_CALL_MEMORY);
        let response = meter.run(|| answer(&mut self.repo, self.ci.as_mut(), request))?;
        // Reading requests can add objects, too: whether a pull request can be merged is determined by a test merge.
        if self.said.saturating_add(self.repo.git.added_bytes()) > MAX_ADDED {
            Err(RestError::Full)
        } else {
            Ok(response)
        }
    }
}

/// Returns true if a request cannot change anything.
pub(crate) fn reads(request: &HttpRequest) -> bool {
    matches!(request.method.as_str(), "GET" | "HEAD")
}

/// Answers a request, and runs the workflows that it triggers.
fn answer(
    repo: &mut RepositoryState,
    ci: Option<&mut Ci>,
    request: &HttpRequest,
) -> Result<HttpResponse, CiError> {
    let response = respond(repo, request)?;
    // Even a refused request may have moved a branch.
    if let Some(ci) = ci {
        ci.run_workflows(repo)?;
    }
    Ok(response)
}

/// Answers a request without running workflows.
pub(crate) fn respond(
    repo: &mut RepositoryState,
    request: &HttpRequest,
) -> Result<HttpResponse, CiError> {
    let parsed = Request::read(request);
    Ok(match route(repo, &parsed) {
        Ok(reply) => etag::tagged(request, reply.response(&parsed)),
        Err(ApiError::Refused(refusal)) => reply::refused(&refusal, &parsed),
        Err(ApiError::Git(error)) if error.is_refusal() => message(422, &error.to_string()),
        Err(ApiError::Git(error @ GitError::Interrupted(_))) => message(503, &error.to_string()),
        Err(ApiError::Git(error)) => return Err(error.into()),
    })
}

fn route(repo: &mut RepositoryState, request: &Request) -> Outcome {
    let path = request.path();
    let call = repo.call_anywhere(request.method, "");
    match path.as_slice() {
        ["repos", owner, name, below @ ..] => {
            let at = RepositoryName {
                owner: (*owner).to_owned(),
                repo: (*name).to_owned(),
            };
            let call = repo.call(&at, request.method, "")?;
            below_repository(repo, request, &at, &call, below)
        }
        ["raw", owner, name, rest @ ..] => {
            let at = RepositoryName {
                owner: (*owner).to_owned(),
                repo: (*name).to_owned(),
            };
            let call = repo.call(&at, request.method, "")?;
            match rest {
                ["actions", "jobs", job, "logs"] => actions::raw_log(repo, &at, &call, job),
                ["legacy.tar.gz", name @ ..] => archives::tarball(repo, &call, &name.join("/")),
                ["legacy.zip", name @ ..] => archives::zipball(repo, &call, &name.join("/")),
                rest => repository::raw(repo, &call, rest),
            }
        }
        ["search", what] => search::route(repo, request, &call, what),
        ["graphql"] => graphql::route(repo, request, &call),
        path => match accounts::route(repo, request, &call, path) {
            Some(outcome) => outcome,
            None => people::anywhere(repo, request, &call, path),
        },
    }
}

fn below_repository(
    repo: &mut RepositoryState,
    request: &Request,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    if settings::is_one(request.method, below) {
        return settings::route(repo, request, at, call, below);
    }
    if remarks::is_one(request.method, below) {
        return remarks::route(repo, request, call, below);
    }
    match below.first().copied().unwrap_or_default() {
        "tarball" | "zipball" => archives::route(repo, request, call, below),
        "actions" => actions::route(repo, request, at, call, &below[1..]),
        "check-runs" | "check-suites" => actions::checks(repo, request, at, call, below),
        "issues" => issues::route(repo, request, at, call, &below[1..]),
        "labels" | "milestones" => labels::route(repo, request, at, call, below),
        "pulls" => pulls::route(repo, request, at, call, &below[1..]),
        "git" => git_data::route(repo, request, at, call, &below[1..]),
        "releases" => releases::route(repo, request, at, call, &below[1..]),
        "assignees" | "collaborators" | "contributors" => people::route(repo, request, call, below),
        _ => repository::route(repo, request, at, call, below),
    }
}

/// Response to an unknown path or an unsupported method.
fn nothing(call: &Call) -> Outcome {
    Err(call.not_found())
}

/// Parses a number in a path.
fn number(call: &Call, text: &str) -> Result<u64, ApiError> {
    text.parse().map_err(|_| call.not_found())
}

/// Response with status 200.
fn ok(value: serde_json::Value) -> Outcome {
    Ok(Reply::json(200, value))
}

/// Response with status 201, with the created object.
fn created(value: serde_json::Value) -> Outcome {
    Ok(Reply::json(201, value))
}
