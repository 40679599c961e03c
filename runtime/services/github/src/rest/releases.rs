//! Releases.

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Answer, Call, Named, NotesOf, Page};
use crate::hub::{Kind, Release};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", []) => Ok(Reply::list(asked, site.list_releases(at, Page::ALL)?)),
        ("GET", ["latest"]) => ok(site.get_latest_release(at)?),
        ("GET", ["tags", tag @ ..]) => ok(site.get_release_by_tag(at, &tag.join("/"))?),
        ("POST", ["generate-notes"]) => {
            let tag = asked.fields(call)?.needed("tag_name")?;
            let body = notes(site, asked, call, &tag)?;
            ok(serde_json::json!({"name": tag, "body": body}))
        }
        ("POST", []) => {
            let new = Release {
                author: site.viewer(),
                tag_name: asked.fields(call)?.needed("tag_name")?,
                ..Release::default()
            };
            let mut new = changed(asked, call, new)?;
            if asked.fields(call)?.truth("generate_release_notes")? == Some(true) {
                let notes = notes(site, asked, call, &new.tag_name)?;
                new.name = new.name.or_else(|| Some(new.tag_name.clone()));
                new.body = Some(match new.body.filter(|body| !body.is_empty()) {
                    Some(body) => format!("{body}\n\n{notes}"),
                    None => notes,
                });
            }
            let ordinal = site.put_release(at, new)?;
            let release = site.find_release(call, Kind::Release.id(ordinal))?;
            created(site.release(release))
        }
        (method, [text, rest @ ..]) => {
            let id = number(call, text)?;
            let release = site.find_release(call, id)?;
            match (method, rest) {
                ("GET", []) => ok(site.release(release)),
                ("GET", ["assets"]) => ok(serde_json::json!([])),
                ("PATCH", []) => {
                    let release = changed(asked, call, release.clone())?;
                    site.put_release(at, release)?;
                    ok(site.release(site.find_release(call, id)?))
                }
                ("DELETE", []) => {
                    site.delete_release(at, id)?;
                    Ok(Reply::empty())
                }
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

/// The notes that follow from what was merged.
fn notes(site: &Site, asked: &Asked<'_>, call: &Call, tag: &str) -> Answer<String> {
    let fields = asked.fields(call)?;
    let of = NotesOf {
        tag: tag.to_owned(),
        target: fields.text("target_commitish")?.unwrap_or_default(),
        previous: fields.text("previous_tag_name")?,
    };
    site.release_notes(call, &of)
}

/// A release with what a body says of it.
fn changed(asked: &Asked<'_>, call: &Call, before: Release) -> Answer<Release> {
    let fields = asked.fields(call)?;
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
