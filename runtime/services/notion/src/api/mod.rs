//! Rules of the API: requests in, responses out. No I/O.
//!
//! The first version is 2022-06-28. Rules of later versions are noted beside each.

mod apply;
mod blocks;
mod comments;
mod data_sources;
mod databases;
mod items;
mod looks;
mod markdown;
mod moves;
mod pages;
mod paging;
mod request;
pub(crate) mod schema;
mod search;
mod users;

use serde_json::{Value, json};

pub(crate) use blocks::may_have_children;
pub use request::{Body, Method, Request};

use crate::input::Field;
use crate::model::{Id, Version, Workspace};
use crate::refusal::{Code, Outcome, Refusal};

/// Workspace that answers requests.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Workspace.
    pub workspace: Workspace,
    /// Number of answered requests.
    requests: u64,
}

/// Response to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Body.
    pub body: Value,
}

impl Engine {
    /// Creates an engine for a workspace.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            requests: 0,
        }
    }

    /// Answers a request. A refused request changes nothing.
    pub fn answer(&mut self, request: &Request) -> Response {
        let id = self.next_request();
        self.workspace.version = request.version;
        let outcome = route(&mut self.workspace, request);
        self.workspace.version = Version::default();
        match outcome {
            Ok(mut body) => {
                if let Value::Object(object) = &mut body {
                    object.insert("request_id".to_owned(), json!(id.to_string()));
                }
                Response { status: 200, body }
            }
            Err(refusal) => response_to(&refusal, id),
        }
    }

    /// Answers a request that is refused before it reaches the rules.
    pub fn refuse(&mut self, refusal: &Refusal) -> Response {
        let id = self.next_request();
        response_to(refusal, id)
    }

    fn next_request(&mut self) -> Id {
        self.requests += 1;
        self.workspace.ids.of_request(self.requests)
    }
}

fn response_to(refusal: &Refusal, id: Id) -> Response {
    Response {
        status: refusal.status(),
        body: refusal.body(id),
    }
}

/// Parts of a request that handlers read.
struct Call<'a> {
    query: Field<'a>,
    body: Field<'a>,
}

fn route(workspace: &mut Workspace, request: &Request) -> Outcome {
    use Method::{Delete, Get, Patch, Post};
    let empty = json!({});
    let body = match &request.body {
        Body::Absent => &empty,
        Body::Json(value) => value,
        Body::Malformed => return Err(Refusal::new(Code::InvalidJson, "Error parsing JSON body.")),
    };
    let call = Call {
        query: Field::root("query", Some(&request.query)),
        body: Field::root("body", Some(body)),
    };
    if !body.is_object() {
        return Err(call.body.should("an object"));
    }
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let ["v1", path @ ..] = path.as_slice() else {
        return Err(unknown_url());
    };
    if request.version.has_data_sources()
        && let Some(outcome) = later(workspace, &call, request.method, path)
    {
        return outcome;
    }
    match (request.method, path) {
        (Get, ["users"]) => users::list(workspace, &call),
        (Get, ["users", "me"]) => users::me(workspace, &call),
        (Get, ["users", id]) => users::one(workspace, &call, id),
        (Post, ["search"]) => search::search(workspace, &call),
        (Post, ["pages"]) => pages::create(workspace, &call),
        (Get, ["pages", id]) => pages::one(workspace, &call, id),
        (Patch, ["pages", id]) => pages::update(workspace, &call, id),
        (Get, ["pages", id, "properties", property]) => items::item(workspace, &call, id, property),
        (Get, ["blocks", id]) => blocks::one(workspace, &call, id),
        (Patch, ["blocks", id]) => blocks::update(workspace, &call, id),
        (Delete, ["blocks", id]) => blocks::delete(workspace, &call, id),
        (Get, ["blocks", id, "children"]) => blocks::children(workspace, &call, id),
        (Patch, ["blocks", id, "children"]) => blocks::append(workspace, &call, id),
        (Post, ["databases"]) => databases::create(workspace, &call),
        (Get, ["databases", id]) => databases::one(workspace, &call, id),
        (Patch, ["databases", id]) => databases::update(workspace, &call, id),
        (Post, ["databases", id, "query"]) if !request.version.has_data_sources() => {
            databases::query(workspace, &call, id)
        }
        (Get, ["comments"]) => comments::list(workspace, &call),
        (Post, ["comments"]) => comments::create(workspace, &call),
        _ => Err(unknown_url()),
    }
}

/// Answers requests to URLs that version 2022-06-28 does not have.
fn later(
    workspace: &mut Workspace,
    call: &Call<'_>,
    method: Method,
    path: &[&str],
) -> Option<Outcome> {
    use Method::{Get, Patch, Post};
    let has_markdown = workspace.version >= Version::V2026_03_11;
    Some(match (method, path) {
        (Post, ["data_sources"]) => data_sources::create(workspace, call),
        (Get, ["data_sources", id]) => data_sources::one(workspace, call, id),
        (Patch, ["data_sources", id]) => data_sources::update(workspace, call, id),
        (Post, ["data_sources", id, "query"]) => data_sources::query(workspace, call, id),
        (Get, ["data_sources", id, "templates"]) => data_sources::templates(workspace, call, id),
        (Post, ["pages", id, "move"]) => moves::page(workspace, call, id),
        (Get, ["pages", id, "markdown"]) if has_markdown => markdown::one(workspace, call, id),
        (Patch, ["pages", id, "markdown"]) if has_markdown => markdown::update(workspace, call, id),
        _ => return None,
    })
}

fn unknown_url() -> Refusal {
    Refusal::new(Code::InvalidRequestUrl, "Invalid request URL.")
}

/// Parses an id of a path. `name` is the name of the parameter in the documentation.
fn path_id(name: &str, text: &str) -> Outcome<Id> {
    let path = json!({ name: text });
    Field::root("path", Some(&path)).get(name).id()
}

/// Returns the error of a change of something in the trash (reported for pages and blocks).
fn archived() -> Refusal {
    Refusal::invalid(
        "Can't edit block that is archived. You must unarchive the block before editing.",
    )
}

/// Returns the error of a change below something in the trash (reported for pages).
fn below_archived() -> Refusal {
    Refusal::invalid(
        "Can't edit page on block with an archived ancestor. You must unarchive the ancestor before editing page.",
    )
}

/// Checks that a node may be changed.
fn check_editable(workspace: &Workspace, id: Id) -> Outcome<()> {
    if workspace.nodes.get(&id).is_some_and(|node| node.trashed) {
        return Err(archived());
    }
    if workspace.is_below_trash(id) {
        return Err(below_archived());
    }
    Ok(())
}

/// Reads the two names under which something is moved to the trash and restored. `in_trash` takes precedence (chosen).
fn trash_flag(workspace: &Workspace, body: &Field<'_>) -> Outcome<Option<bool>> {
    if !workspace.version.has_archived()
        && let Some(archived) = body.get("archived").present()
    {
        return Err(archived.should("not present"));
    }
    let archived = body.get("archived").opt_bool()?;
    let in_trash = body.get("in_trash").opt_bool()?;
    Ok(in_trash.or(archived))
}
