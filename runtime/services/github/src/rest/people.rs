//! Users: who acts, who is known, who may be assigned, who has committed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{nothing, ok};
use crate::api::Call;
use crate::hub::{Time, User};
use crate::view::Site;

/// What stands beside repositories.
pub(super) fn anywhere(site: &Site, asked: &Asked<'_>, call: &Call, path: &[&str]) -> Outcome {
    let profile = |login: &str| match site.hub.user(login) {
        Some(user) => ok(site.profile(user)),
        None => nothing(call),
    };
    let own = || Value::Array(vec![site.repository()]);
    let is_owner = |login: &str| login.eq_ignore_ascii_case(&site.hub.repository.owner);
    match (asked.method, path) {
        ("GET", ["user"]) => profile(&site.hub.repository.viewer),
        ("GET", ["users"]) => {
            let all = site.hub.users.values();
            Ok(Reply::list(
                asked,
                all.map(|user| site.user(&user.login)).collect(),
            ))
        }
        ("GET", ["users", login]) => profile(login),
        ("GET", ["gists"]) => gists(site, asked, None),
        ("GET", ["users", login, "gists"]) => gists(site, asked, Some(login)),
        ("GET", ["gists", id]) => ok(site.get_gist(id)?),
        ("GET", ["user", "repos"]) => Ok(Reply::list(asked, own())),
        ("GET", ["users" | "orgs", login, "repos"]) if is_owner(login) => {
            Ok(Reply::list(asked, own()))
        }
        ("GET", ["users", login, "repos"]) if site.hub.user(login).is_some() => ok(json!([])),
        ("POST", ["user", "repos"] | ["orgs", _, "repos"]) => {
            Err(call.refuse(403, "Resource not accessible by personal access token"))
        }
        _ => nothing(call),
    }
}

/// Somebody's gists; nobody named: those of whoever asks.
fn gists(site: &Site, asked: &Asked<'_>, owner: Option<&str>) -> Outcome {
    let since = Time::parse(asked.parameter("since"));
    let all = site.list_gists(owner, since, asked.page())?;
    Ok(Reply::list(asked, all.into()))
}

/// What stands below the repository.
pub(super) fn route(site: &Site, asked: &Asked<'_>, call: &Call, below: &[&str]) -> Outcome {
    match (asked.method, below) {
        ("GET", ["assignees" | "collaborators"]) => Reply::page(asked, site.members(), |user| {
            let mut view = site.user(&user.login);
            if below[0] == "collaborators" {
                view["permissions"] = permissions(site, user);
                view["role_name"] = site.role(user).into();
            }
            Ok(view)
        }),
        ("GET", ["assignees" | "collaborators", login]) => match site.hub.user(login) {
            Some(user) if site.is_member(user) => Ok(Reply::empty()),
            _ => nothing(call),
        },
        ("GET", ["collaborators", login, "permission"]) => {
            let Some(user) = site.hub.user(login) else {
                return nothing(call);
            };
            let role = site.role(user);
            ok(json!({"permission": role, "user": site.user(&user.login), "role_name": role}))
        }
        ("GET", ["contributors"]) => contributors(site, asked),
        _ => nothing(call),
    }
}

fn permissions(site: &Site, user: &User) -> Value {
    let admin = site.role(user) == "admin";
    json!({"admin": admin, "maintain": admin, "push": true, "triage": true, "pull": true})
}

/// Who has committed to the default branch, the most first; those without an account are not listed.
fn contributors(site: &Site, asked: &Asked<'_>) -> Outcome {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    if let Some(tip) = site.git.branch(&site.hub.repository.default_branch) {
        let mut by_email: BTreeMap<String, usize> = BTreeMap::new();
        for id in site.git.newest_first([tip], [])? {
            *by_email
                .entry(site.git.commit(id?)?.author.email)
                .or_default() += 1;
        }
        for (email, count) in by_email {
            if let Some(user) = site.hub.user_of_email(&email) {
                *counts.entry(&user.login).or_default() += count;
            }
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let views = counts.into_iter().map(|(login, count)| {
        let mut view = site.user(login);
        view["contributions"] = count.into();
        view
    });
    Ok(Reply::list(asked, views.collect()))
}
