//! GitHub's REST interface, and the few queries of its GraphQL that clients send, over one repository.
//!
//! A pure router: a request comes in, an answer goes out, on the same operations and objects as the tools. Paths
//! begin at the root (`/repos/…`, as on `api.github.com`) or below `/api/v3` (as on a server of one's own); the bytes
//! of files are at `/raw/<owner>/<repository>/<ref>/<path>`. Addresses in objects are those of github.com; those in
//! `Link` begin where the client's request went.
//!
//! Who asks is the user of the world who acts; tokens are not looked at. Any repository but the world's is not found.

mod accounts;
mod actions;
mod archives;
mod asked;
mod etag;
mod events;
mod git_data;
mod graphql;
mod issues;
mod labels;
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

use asked::Asked;
use mcpmark_service::{CallMeter, DEFAULT_CALL_MEMORY, HttpRequest, HttpResponse};
use mcpmark_snapshot::{Blobs, Tree};
pub(crate) use reply::message;
use reply::{Outcome, Reply};

use crate::api::{ApiError, Call, Named};
use crate::ci::{CiError, Runner};
use crate::git::GitError;
use crate::hub::Time;
use crate::view::Site;
use crate::world::{self, WorldError};

/// Bytes that may be added to a copy: what requests say, and the objects that follow from that.
pub const MOST_ADDED: u64 = 64 << 20;

/// Runs of workflows that requests to a copy may set off.
pub const MOST_RUNS: u64 = 1_000;

/// A copy of a world that is asked over REST alone, such as a final state that somebody judges. What changes it is
/// gone with it.
pub struct Rest {
    site: Site,
    /// Bytes of the requests that were to change something.
    said: u64,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RestError {
    /// The repository turns out to be damaged, or its workflows could not be run.
    #[error(transparent)]
    Failed(#[from] CiError),
    /// More was added than may be.
    #[error("requests add more than {} MiB to the script's copy of the repository (fixed)", MOST_ADDED >> 20)]
    Full,
}

impl Rest {
    /// Opens the world in a tree; the objects of its repository are copied below `scratch`, and go with this.
    ///
    /// # Errors
    ///
    /// When the tree is no world of this service.
    pub fn open(
        tree: &Tree,
        blobs: &dyn Blobs,
        scratch: &Path,
        clock: i64,
    ) -> Result<Self, WorldError> {
        let world::Opened { hub, git, .. } = world::open(tree, blobs, scratch, clock)?;
        let site = Site::new(hub, git);
        Ok(Self { site, said: 0 })
    }

    /// The same, where workflows run on what requests change.
    #[must_use]
    pub fn with_runner(self, runner: Arc<dyn Runner>) -> Self {
        let mut site = self.site.with_runner(runner);
        if let Some(ci) = &mut site.ci {
            ci.limit(MOST_RUNS);
        }
        Self { site, ..self }
    }

    /// Answers a request. What it changes, it changes at the instant `now`, in seconds since 1970-01-01T00:00:00Z,
    /// or at a later one where all that is there would be younger.
    ///
    /// # Errors
    ///
    /// When no answer can be made, or more was added than may be; then nobody may ask further.
    pub fn answer(&mut self, request: &HttpRequest, now: i64) -> Result<HttpResponse, RestError> {
        if !reads(request) {
            let hub = &mut self.site.hub;
            hub.now = hub.now.max(Time(now));
            self.said = self.said.saturating_add(request.body.len() as u64);
            if self.said > MOST_ADDED {
                return Err(RestError::Full);
            }
        }
        let meter = CallMeter::new(DEFAULT_CALL_MEMORY);
        let response = meter.run(|| answer(&mut self.site, request))?;
        // Even what only reads may write: whether something can be merged is known by merging it.
        if self.said.saturating_add(self.site.git.added_bytes()) > MOST_ADDED {
            Err(RestError::Full)
        } else {
            Ok(response)
        }
    }
}

/// Whether a request changes nothing.
pub(crate) fn reads(request: &HttpRequest) -> bool {
    matches!(request.method.as_str(), "GET" | "HEAD")
}

/// Answers a request, and runs the workflows that follow from it.
fn answer(site: &mut Site, request: &HttpRequest) -> Result<HttpResponse, CiError> {
    let response = respond(site, request)?;
    // Even a request that was refused may have moved something before it was.
    site.run_workflows()?;
    Ok(response)
}

/// Answers a request; the workflows that follow from it are not run.
pub(crate) fn respond(site: &mut Site, request: &HttpRequest) -> Result<HttpResponse, CiError> {
    let asked = Asked::read(request);
    Ok(match route(site, &asked) {
        Ok(reply) => etag::tagged(request, reply.response(&asked)),
        Err(ApiError::Refused(refusal)) => reply::refused(&refusal, &asked),
        Err(ApiError::Git(error)) if error.is_refusal() => message(422, &error.to_string()),
        Err(ApiError::Git(error @ GitError::Interrupted(_))) => message(503, &error.to_string()),
        Err(ApiError::Git(error)) => return Err(error.into()),
    })
}

fn route(site: &mut Site, asked: &Asked) -> Outcome {
    let path = asked.path();
    let call = site.call_anywhere(asked.method, "");
    match path.as_slice() {
        ["repos", owner, repo, below @ ..] => {
            let at = Named {
                owner: (*owner).to_owned(),
                repo: (*repo).to_owned(),
            };
            let call = site.call(&at, asked.method, "")?;
            below_repository(site, asked, &at, &call, below)
        }
        ["raw", owner, repo, rest @ ..] => {
            let at = Named {
                owner: (*owner).to_owned(),
                repo: (*repo).to_owned(),
            };
            let call = site.call(&at, asked.method, "")?;
            match rest {
                ["actions", "jobs", job, "logs"] => actions::raw_log(site, &at, &call, job),
                ["legacy.tar.gz", name @ ..] => archives::tarball(site, &call, &name.join("/")),
                ["legacy.zip", name @ ..] => archives::zipball(site, &call, &name.join("/")),
                rest => repository::raw(site, &call, rest),
            }
        }
        ["search", what] => search::route(site, asked, &call, what),
        ["graphql"] => graphql::route(site, asked, &call),
        path => match accounts::route(site, asked, &call, path) {
            Some(outcome) => outcome,
            None => people::anywhere(site, asked, &call, path),
        },
    }
}

fn below_repository(
    site: &mut Site,
    asked: &Asked,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    if settings::is_one(asked.method, below) {
        return settings::route(site, asked, at, call, below);
    }
    if remarks::is_one(asked.method, below) {
        return remarks::route(site, asked, call, below);
    }
    match below.first().copied().unwrap_or_default() {
        "tarball" | "zipball" => archives::route(site, asked, call, below),
        "actions" => actions::route(site, asked, at, call, &below[1..]),
        "check-runs" | "check-suites" => actions::checks(site, asked, at, call, below),
        "issues" => issues::route(site, asked, at, call, &below[1..]),
        "labels" | "milestones" => labels::route(site, asked, at, call, below),
        "pulls" => pulls::route(site, asked, at, call, &below[1..]),
        "git" => git_data::route(site, asked, at, call, &below[1..]),
        "releases" => releases::route(site, asked, at, call, &below[1..]),
        "assignees" | "collaborators" | "contributors" => people::route(site, asked, call, below),
        _ => repository::route(site, asked, at, call, below),
    }
}

/// The answer where there is nothing of that kind, or nothing that is done by that method.
fn nothing(call: &Call) -> Outcome {
    Err(call.not_found())
}

/// The number in a path.
fn number(call: &Call, text: &str) -> Result<u64, ApiError> {
    text.parse().map_err(|_| call.not_found())
}

/// An answer that is an object or a list.
fn ok(value: serde_json::Value) -> Outcome {
    Ok(Reply::json(200, value))
}

/// An answer that is an object which has just been made.
fn created(value: serde_json::Value) -> Outcome {
    Ok(Reply::json(201, value))
}
