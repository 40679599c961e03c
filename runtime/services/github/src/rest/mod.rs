//! GitHub's REST interface, and the few queries of its GraphQL that clients send, over one repository.
//!
//! A pure router: a request comes in, an answer goes out, on the same operations and objects as the tools. Paths
//! begin at the root (`/repos/…`, as on `api.github.com`) or below `/api/v3` (as on a server of one's own); the bytes
//! of files are at `/raw/<owner>/<repository>/<ref>/<path>`. Addresses in objects are those of github.com; those in
//! `Link` begin where the client's request went.
//!
//! Who asks is the user of the world who acts; tokens are not looked at. Any repository but the world's is not found.

mod actions;
mod asked;
mod events;
mod git_data;
mod graphql;
mod issues;
mod labels;
mod people;
mod pulls;
mod releases;
mod reply;
mod repository;
mod reviews;
mod search;

use std::path::Path;

use asked::Asked;
use mcpmark_service::{HttpRequest, HttpResponse};
use mcpmark_snapshot::{Blobs, Tree};
pub(crate) use reply::message;
use reply::{Outcome, Reply};

use crate::api::{ApiError, Call, Named};
use crate::git::GitError;
use crate::view::Site;
use crate::world::{self, WorldError};

/// A world that is asked over REST alone, such as a final state.
pub struct Rest {
    site: Site,
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
        Ok(Self { site })
    }

    /// Answers a request that reads. Others are refused with 403, and change nothing.
    ///
    /// # Errors
    ///
    /// When the repository turns out to be damaged, of which no answer can be made.
    pub fn read(&mut self, request: &HttpRequest) -> Result<HttpResponse, GitError> {
        match request.method.as_str() {
            "GET" | "HEAD" => answer(&mut self.site, request),
            method => Ok(message(
                403,
                &format!(
                    "{method} is refused: this is a final state, which can be read and not be changed"
                ),
            )),
        }
    }
}

/// Answers a request.
pub(crate) fn answer(site: &mut Site, request: &HttpRequest) -> Result<HttpResponse, GitError> {
    let asked = Asked::read(request);
    match route(site, &asked) {
        Ok(reply) => Ok(reply.response(&asked)),
        Err(ApiError::Refused(refusal)) => Ok(reply::refused(&refusal, &asked)),
        Err(ApiError::Git(GitError::Refused(problem))) => Ok(message(422, &problem)),
        Err(ApiError::Git(error)) => Err(error),
    }
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
                rest => repository::raw(site, &call, rest),
            }
        }
        ["search", what] => search::route(site, asked, &call, what),
        ["graphql"] => graphql::route(site, asked, &call),
        _ => people::anywhere(site, asked, &call, &path),
    }
}

fn below_repository(
    site: &mut Site,
    asked: &Asked,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match below.first().copied().unwrap_or_default() {
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
