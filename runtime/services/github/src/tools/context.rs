//! Who acts, and the teams around.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Failure, Outcome, written};
use crate::view::Site;

/// The fields of a profile that are always there; the others only where they are not empty.
const ALWAYS: [&str; 6] = [
    "public_repos",
    "public_gists",
    "followers",
    "following",
    "created_at",
    "updated_at",
];

pub(super) fn get_me(site: &Site) -> Outcome {
    let viewer = &site.hub.repository.viewer;
    let user = site.hub.user(viewer).cloned().unwrap_or_default();
    let profile = site.profile(&user);
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

/// A user as short results have it.
pub(super) fn minimal_user(user: &Value) -> Value {
    json!({
        "login": user["login"],
        "id": user["id"],
        "profile_url": user["html_url"],
        "avatar_url": user["avatar_url"],
    })
}

/// The teams of a user. The world has none, which the published server writes as null.
pub(super) fn get_teams(site: &Site, with: &Arguments) -> Outcome {
    let user = match with.optional_text("user")?.as_str() {
        "" => site.viewer(),
        user => user.to_owned(),
    };
    match site.find_person(&user) {
        Some(_) => written(&Value::Null),
        None => Err(Failure::Said(format!(
            "Failed to find teams: Could not resolve to a User with the login of '{user}'."
        ))),
    }
}

/// The members of a team of an organisation: null, as there is no such team.
pub(super) fn get_team_members(site: &Site, with: &Arguments) -> Outcome {
    let org = with.text("org")?;
    with.text("team_slug")?;
    match site.find_organization(&org) {
        Some(_) => written(&Value::Null),
        None => Err(Failure::Said(format!(
            "Failed to get team members: Could not resolve to an Organization with the login of '{org}'."
        ))),
    }
}

pub(super) fn list_issue_types(site: &Site, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let call = site.call_anywhere("GET", &format!("/orgs/{owner}/issue-types"));
    let types = site
        .list_issue_types(&call, &owner)
        .map_err(super::protocol("failed to list issue types"))?;
    super::shaped("IssueType", types)
}
