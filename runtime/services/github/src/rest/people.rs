//! Endpoints for users, gists, collaborators, assignees and contributors.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{nothing, ok};
use crate::api::Call;
use crate::hub::{Time, User};
use crate::repository::RepositoryState;

/// Routes requests outside of repositories.
pub(super) fn anywhere(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    path: &[&str],
) -> Outcome {
    let profile = |login: &str| match repo.hub.user(login) {
        Some(user) => ok(repo.profile(user)),
        None => nothing(call),
    };
    let own = || Value::Array(vec![repo.repository()]);
    let is_owner = |login: &str| login.eq_ignore_ascii_case(&repo.hub.repository.owner);
    match (request.method, path) {
        ("GET", ["user"]) => profile(&repo.hub.repository.viewer),
        ("GET", ["users"]) => {
            let all = repo.hub.users.values();
            Ok(Reply::list(
                request,
                all.map(|user| repo.user(&user.login)).collect(),
            ))
        }
        ("GET", ["users", login]) => profile(login),
        ("GET", ["gists"]) => gists(repo, request, None),
        ("GET", ["users", login, "gists"]) => gists(repo, request, Some(login)),
        ("GET", ["gists", id]) => ok(repo.get_gist(id)?),
        ("GET", ["user", "repos"]) => Ok(Reply::list(request, own())),
        ("GET", ["users" | "orgs", login, "repos"]) if is_owner(login) => {
            Ok(Reply::list(request, own()))
        }
        ("GET", ["users", login, "repos"]) if repo.hub.user(login).is_some() => ok(json!([])),
        ("POST", ["user", "repos"] | ["orgs", _, "repos"]) => {
            Err(call.refuse(403, "Resource not accessible by personal access token"))
        }
        _ => nothing(call),
    }
}

/// Lists the gists of a user. The default is the viewer.
fn gists(repo: &RepositoryState, request: &Request<'_>, owner: Option<&str>) -> Outcome {
    let since = Time::parse(request.parameter("since"));
    let all = repo.list_gists(owner, since, request.page())?;
    Ok(Reply::list(request, all.into()))
}

/// Routes requests below the repository.
pub(super) fn route(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", ["assignees" | "collaborators"]) => Reply::page(request, repo.members(), |user| {
            let mut view = repo.user(&user.login);
            if below[0] == "collaborators" {
                view["permissions"] = permissions(repo, user);
                view["role_name"] = repo.role(user).into();
            }
            Ok(view)
        }),
        ("GET", ["assignees" | "collaborators", login]) => match repo.hub.user(login) {
            Some(user) if repo.is_member(user) => Ok(Reply::empty()),
            _ => nothing(call),
        },
        ("GET", ["collaborators", login, "permission"]) => {
            let Some(user) = repo.hub.user(login) else {
                return nothing(call);
            };
            let role = repo.role(user);
            ok(json!({"permission": role, "user": repo.user(&user.login), "role_name": role}))
        }
        ("GET", ["contributors"]) => contributors(repo, request),
        _ => nothing(call),
    }
}

fn permissions(repo: &RepositoryState, user: &User) -> Value {
    let admin = repo.role(user) == "admin";
    json!({"admin": admin, "maintain": admin, "push": true, "triage": true, "pull": true})
}

/// Lists users by their number of commits on the default branch, in descending order. Authors without an account are
/// omitted.
fn contributors(repo: &RepositoryState, request: &Request<'_>) -> Outcome {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    if let Some(tip) = repo.git.branch(&repo.hub.repository.default_branch) {
        let mut by_email: BTreeMap<String, usize> = BTreeMap::new();
        for id in repo.git.newest_first([tip], [])? {
            *by_email
                .entry(repo.git.commit(id?)?.author.email)
                .or_default() += 1;
        }
        for (email, count) in by_email {
            if let Some(user) = repo.hub.user_of_email(&email) {
                *counts.entry(&user.login).or_default() += count;
            }
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let views = counts.into_iter().map(|(login, count)| {
        let mut view = repo.user(login);
        view["contributions"] = count.into();
        view
    });
    Ok(Reply::list(request, views.collect()))
}
