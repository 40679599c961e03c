//! Tools for the viewer, teams and issue types.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Failure, Outcome, written};
use crate::repository::RepositoryState;

/// Fields of a profile that are always present. The others are omitted if they are empty.
const ALWAYS: [&str; 6] = [
    "public_repos",
    "public_gists",
    "followers",
    "following",
    "created_at",
    "updated_at",
];

pub(super) fn get_me(repo: &RepositoryState) -> Outcome {
    let viewer = &repo.hub.repository.viewer;
    let user = repo.hub.user(viewer).cloned().unwrap_or_default();
    let profile = repo.profile(&user);
    let mut details = serde_json::Map::new();
    let optional = ["name", "company", "blog", "location", "email", "bio"];
    for key in optional.into_iter().chain(ALWAYS) {
        let value = profile[key].clone();
        let empty = value.is_null() || value.as_str() == Some("");
        if !empty || ALWAYS.contains(&key) {
            details.insert(key.to_owned(), value);
        }
    }
    let mut view = minimal_user(&profile);
    view["details"] = details.into();
    written(&view)
}

/// Shortened user.
pub(super) fn minimal_user(user: &Value) -> Value {
    json!({
        "login": user["login"],
        "id": user["id"],
        "profile_url": user["html_url"],
        "avatar_url": user["avatar_url"],
    })
}

/// Lists the teams of a user. A world has none, which the published server returns as null.
pub(super) fn get_teams(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let user = match with.optional_text("user")?.as_str() {
        "" => repo.viewer(),
        user => user.to_owned(),
    };
    match repo.find_person(&user) {
        Some(_) => written(&Value::Null),
        None => Err(Failure::ToolError(format!(
            "Failed to find teams: Could not resolve to a User with the login of '{user}'."
        ))),
    }
}

/// Lists the members of a team. The result is null, because a world has no teams.
pub(super) fn get_team_members(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let org = with.text("org")?;
    with.text("team_slug")?;
    match repo.find_organization(&org) {
        Some(_) => written(&Value::Null),
        None => Err(Failure::ToolError(format!(
            "Failed to get team members: Could not resolve to an Organization with the login of '{org}'."
        ))),
    }
}

pub(super) fn list_issue_types(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let call = repo.call_anywhere("GET", &format!("/orgs/{owner}/issue-types"));
    let types = repo
        .list_issue_types(&call, &owner)
        .map_err(super::protocol_error("failed to list issue types"))?;
    super::shaped("IssueType", types)
}
