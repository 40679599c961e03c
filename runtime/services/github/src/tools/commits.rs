//! Commits, branches and tags.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::context::minimal_user;
use super::{Failure, Outcome, said, shaped, written};
use crate::git::Filter;
use crate::view::Site;

/// A commit as short results have it, with its files where those are wanted.
fn minimal_commit(commit: &Value, with_files: bool) -> Value {
    let mut view = json!({"sha": commit["sha"], "html_url": commit["html_url"]});
    let own = &commit["commit"];
    view["commit"] = json!({
        "message": own["message"],
        "author": own["author"],
        "committer": own["committer"],
    });
    for key in ["author", "committer"] {
        if !commit[key].is_null() {
            view[key] = minimal_user(&commit[key]);
        }
    }
    if !with_files {
        return view;
    }
    let count = |value: &Value| value.as_u64().filter(|count| *count > 0);
    let pick = |from: &Value, keys: &[&str]| {
        let mut kept = serde_json::Map::new();
        for key in keys {
            if let Some(count) = count(&from[*key]) {
                kept.insert((*key).to_owned(), count.into());
            }
        }
        kept
    };
    view["stats"] = pick(&commit["stats"], &["additions", "deletions", "total"]).into();
    let files: Vec<Value> = commit["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            let mut view = serde_json::Map::new();
            view.insert("filename".to_owned(), file["filename"].clone());
            view.insert("status".to_owned(), file["status"].clone());
            view.extend(pick(file, &["additions", "deletions", "changes"]));
            view.into()
        })
        .collect();
    if !files.is_empty() {
        view["files"] = files.into();
    }
    view
}

pub(super) fn get_commit(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.text("sha")?;
    let include = with.given_bool("include_diff")?.unwrap_or(true);
    let page = with.page()?;
    let commit = site
        .get_commit(&at, &sha, page)
        .map_err(said(format!("failed to get commit: {sha}")))?;
    written(&minimal_commit(&commit, include))
}

pub(super) fn list_commits(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.optional_text("sha")?;
    let author = with.optional_text("author")?;
    let page = with.page()?;
    let filter = Filter {
        author: site.by_author(&author),
        ..Filter::default()
    };
    let commits = site
        .list_commits(&at, &sha, filter, page)
        .map_err(said(format!("failed to list commits: {sha}")))?;
    let view = |commit| minimal_commit(&site.commit(commit), false);
    written(&commits.iter().map(view).collect())
}

pub(super) fn list_branches(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let branches = site
        .list_branches(&at, page)
        .map_err(said("failed to list branches"))?;
    let minimal = |branch: &Value| {
        json!({
            "name": branch["name"],
            "sha": branch["commit"]["sha"],
            "protected": branch["protected"],
        })
    };
    written(
        &branches
            .as_array()
            .into_iter()
            .flatten()
            .map(minimal)
            .collect(),
    )
}

pub(super) fn list_tags(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let tags = site
        .list_tags(&at, page)
        .map_err(said("failed to list tags"))?;
    shaped("RepositoryTag", tags)
}

pub(super) fn get_tag(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let name = with.text("tag")?;
    let (_, id) = site
        .get_ref(&at, &format!("refs/tags/{name}"))
        .map_err(said("failed to get tag reference"))?;
    match site.git.tag(id)? {
        Some(tag) => shaped("Tag", site.annotated_tag(&tag)),
        // A tag that is only a ref has no object of its own.
        None => {
            let call = site
                .call(&at, "GET", &format!("/git/tags/{id}"))
                .map_err(said("failed to get tag object"))?;
            Err(said("failed to get tag object")(call.not_found()))
        }
    }
}

/// The words for a repository that GraphQL does not find.
pub(super) fn unresolved(site: &Site, at: &crate::api::Named) -> Result<(), Failure> {
    if site.hub.is(&at.owner, &at.repo) {
        Ok(())
    } else {
        Err(Failure::Said(format!(
            "Could not resolve to a Repository with the name '{}/{}'.",
            at.owner, at.repo
        )))
    }
}
