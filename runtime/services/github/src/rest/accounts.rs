//! Endpoints for organisations, users by id, and rate limits.

use serde_json::{Value, json};

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{nothing, number, ok};
use crate::api::Call;
use crate::hub::{Kind, User};
use crate::repository::RepositoryState;

/// Rate limits of GitHub for users, for an hour, or a minute for searches. Requests are not counted.
const LIMITS: [(&str, u32); 5] = [
    ("core", 5_000),
    ("search", 30),
    ("code_search", 10),
    ("graphql", 5_000),
    ("integration_manifest", 5_000),
];

/// Routes requests outside of repositories. `None` if the path is not handled here.
pub(super) fn route(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    path: &[&str],
) -> Option<Outcome> {
    if request.method != "GET" {
        return None;
    }
    let organization = |login: &str| repo.find_organization(login);
    let none = || Ok(Reply::list(request, json!([])));
    Some(match path {
        ["rate_limit"] => ok(rate_limit(repo)),
        ["user", "orgs" | "teams"] => none(),
        ["user", id] if id.bytes().all(|byte| byte.is_ascii_digit()) => by_id(repo, call, id),
        ["users", login, "orgs"] if repo.hub.user(login).is_some() => none(),
        ["orgs", login] => match organization(login) {
            Some(user) => ok(profile(repo, user)),
            None => nothing(call),
        },
        ["orgs", login, "members" | "public_members" | "teams"]
            if organization(login).is_some() =>
        {
            none()
        }
        ["orgs", login, "issue-types"] => {
            let path = format!("/orgs/{login}/issue-types");
            let call = repo.call_anywhere("GET", &path);
            repo.list_issue_types(&call, login).and_then(ok)
        }
        _ => return None,
    })
}

fn by_id(repo: &RepositoryState, call: &Call, id: &str) -> Outcome {
    let id = number(call, id)?;
    let mut all = repo.hub.users.values();
    match all.find(|user| Kind::User.of_name(&user.login) == id) {
        Some(user) => ok(repo.profile(user)),
        None => nothing(call),
    }
}

fn rate_limit(repo: &RepositoryState) -> Value {
    let reset = repo.hub.now.0 + 3_600;
    let whole = |limit: u32| json!({"limit": limit, "used": 0, "remaining": limit, "reset": reset});
    let mut resources = json!({});
    for (name, limit) in LIMITS {
        resources[name] = whole(limit);
    }
    let rate = resources["core"].clone();
    json!({"resources": resources, "rate": rate})
}

/// Organisation in the format of its own endpoint.
fn profile(repo: &RepositoryState, user: &User) -> Value {
    let of_user = repo.profile(user);
    let url = format!("{}/orgs/{}", crate::repository::API, user.login);
    let mut view = json!({
        "login": user.login,
        "id": of_user["id"],
        "node_id": of_user["node_id"],
        "url": url,
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events"),
        "hooks_url": format!("{url}/hooks"),
        "issues_url": format!("{url}/issues"),
        "members_url": format!("{url}/members{{/member}}"),
        "public_members_url": format!("{url}/public_members{{/member}}"),
        "avatar_url": of_user["avatar_url"],
        "description": user.bio,
    });
    for key in [
        "name",
        "company",
        "blog",
        "location",
        "email",
        "twitter_username",
    ] {
        view[key] = of_user[key].clone();
    }
    view["is_verified"] = false.into();
    view["has_organization_projects"] = true.into();
    view["has_repository_projects"] = true.into();
    for key in [
        "public_repos",
        "public_gists",
        "followers",
        "following",
        "html_url",
        "created_at",
        "updated_at",
    ] {
        view[key] = of_user[key].clone();
    }
    view["archived_at"] = Value::Null;
    view["type"] = "Organization".into();
    view
}
