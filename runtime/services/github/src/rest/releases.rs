//! Endpoints for releases.

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Answer, Call, NotesOf, Page, RepositoryName};
use crate::hub::{Kind, Release};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", []) => Ok(Reply::list(request, repo.list_releases(at, Page::ALL)?)),
        ("GET", ["latest"]) => ok(repo.get_latest_release(at)?),
        ("GET", ["tags", tag @ ..]) => ok(repo.get_release_by_tag(at, &tag.join("/"))?),
        ("POST", ["generate-notes"]) => {
            let tag = request.fields(call)?.needed("tag_name")?;
            let body = notes(repo, request, call, &tag)?;
            ok(serde_json::json!({"name": tag, "body": body}))
        }
        ("POST", []) => {
            let new = Release {
                author: repo.viewer(),
                tag_name: request.fields(call)?.needed("tag_name")?,
                ..Release::default()
            };
            let mut new = changed(request, call, new)?;
            if request.fields(call)?.truth("generate_release_notes")? == Some(true) {
                let notes = notes(repo, request, call, &new.tag_name)?;
                new.name = new.name.or_else(|| Some(new.tag_name.clone()));
                new.body = Some(match new.body.filter(|body| !body.is_empty()) {
                    Some(body) => format!("{body}\n\n{notes}"),
                    None => notes,
                });
            }
            let ordinal = repo.put_release(at, new)?;
            let release = repo.find_release(call, Kind::Release.id(ordinal))?;
            created(repo.release(release))
        }
        (method, [text, rest @ ..]) => {
            let id = number(call, text)?;
            let release = repo.find_release(call, id)?;
            match (method, rest) {
                ("GET", []) => ok(repo.release(release)),
                ("GET", ["assets"]) => ok(serde_json::json!([])),
                ("PATCH", []) => {
                    let release = changed(request, call, release.clone())?;
                    repo.put_release(at, release)?;
                    ok(repo.release(repo.find_release(call, id)?))
                }
                ("DELETE", []) => {
                    repo.delete_release(at, id)?;
                    Ok(Reply::empty())
                }
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

/// Generates release notes from the merged pull requests.
fn notes(repo: &RepositoryState, request: &Request<'_>, call: &Call, tag: &str) -> Answer<String> {
    let fields = request.fields(call)?;
    let of = NotesOf {
        tag: tag.to_owned(),
        target: fields.text("target_commitish")?.unwrap_or_default(),
        previous: fields.text("previous_tag_name")?,
    };
    repo.release_notes(call, &of)
}

/// Applies the fields of a request to a release.
fn changed(request: &Request<'_>, call: &Call, before: Release) -> Answer<Release> {
    let fields = request.fields(call)?;
    Ok(Release {
        tag_name: fields.text("tag_name")?.unwrap_or(before.tag_name),
        target_commitish: fields
            .text("target_commitish")?
            .unwrap_or(before.target_commitish),
        name: fields.clearable("name")?.unwrap_or(before.name),
        body: fields.clearable("body")?.unwrap_or(before.body),
        draft: fields.truth("draft")?.unwrap_or(before.draft),
        prerelease: fields.truth("prerelease")?.unwrap_or(before.prerelease),
        ..before
    })
}
