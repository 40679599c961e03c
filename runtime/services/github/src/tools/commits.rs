//! Tools for commits, branches and tags.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::context::minimal_user;
use super::{Failure, Outcome, shaped, tool_error, written};
use crate::git::Filter;
use crate::repository::RepositoryState;

/// Shortened commit, with its files if requested.
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

pub(super) fn get_commit(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.text("sha")?;
    let include = with.given_bool("include_diff")?.unwrap_or(true);
    let page = with.page()?;
    let commit = repo
        .get_commit(&at, &sha, page)
        .map_err(tool_error(format!("failed to get commit: {sha}")))?;
    written(&minimal_commit(&commit, include))
}

pub(super) fn list_commits(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let sha = with.optional_text("sha")?;
    let author = with.optional_text("author")?;
    let page = with.page()?;
    let filter = Filter {
        author: repo.by_author(&author),
        ..Filter::default()
    };
    let commits = repo
        .list_commits(&at, &sha, filter, page)
        .map_err(tool_error(format!("failed to list commits: {sha}")))?;
    let view = |commit| minimal_commit(&repo.commit(commit), false);
    written(&commits.iter().map(view).collect())
}

pub(super) fn list_branches(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let branches = repo
        .list_branches(&at, page)
        .map_err(tool_error("failed to list branches"))?;
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

pub(super) fn list_tags(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let tags = repo
        .list_tags(&at, page)
        .map_err(tool_error("failed to list tags"))?;
    shaped("RepositoryTag", tags)
}

pub(super) fn get_tag(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let name = with.text("tag")?;
    let (_, id) = repo
        .get_ref(&at, &format!("refs/tags/{name}"))
        .map_err(tool_error("failed to get tag reference"))?;
    match repo.git.tag(id)? {
        Some(tag) => shaped("Tag", repo.annotated_tag(&tag)),
        // A lightweight tag has no tag object.
        None => {
            let call = repo
                .call(&at, "GET", &format!("/git/tags/{id}"))
                .map_err(tool_error("failed to get tag object"))?;
            Err(tool_error("failed to get tag object")(call.not_found()))
        }
    }
}

/// Returns GraphQL's error if the repository does not exist.
pub(super) fn unresolved(
    repo: &RepositoryState,
    at: &crate::api::RepositoryName,
) -> Result<(), Failure> {
    if repo.hub.is_repository(&at.owner, &at.repo) {
        Ok(())
    } else {
        Err(Failure::ToolError(format!(
            "Could not resolve to a Repository with the name '{}/{}'.",
            at.owner, at.repo
        )))
    }
}
