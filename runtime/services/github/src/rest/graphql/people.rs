//! GraphQL users and organisations. Worlds have no teams and memberships, so their lists are empty.

use serde_json::{Value, json};

use super::{Field, Resolved, actor, not_found, object, own, select, text};
use crate::hub::User;
use crate::repository::{HTML, RepositoryState};

/// Resolves a user by login.
pub(super) fn user(repo: &RepositoryState, field: &Field) -> Resolved {
    let login = text(&field.arguments, "login");
    let user = repo.find_person(login).ok_or_else(|| {
        not_found(format!(
            "Could not resolve to a User with the login of '{login}'."
        ))
    })?;
    let view = profile(user, "User");
    object("User", &field.selection, |field| {
        match field.name.as_str() {
            "organizations" => select(&nothing(), &field.selection, "OrganizationConnection"),
            _ => own(&view, field, "User"),
        }
    })
}

/// Resolves an organisation by login.
pub(super) fn organization(repo: &RepositoryState, field: &Field) -> Resolved {
    let login = text(&field.arguments, "login");
    let known = repo.find_organization(login);
    let organization = known.ok_or_else(|| {
        not_found(format!(
            "Could not resolve to an Organization with the login of '{login}'."
        ))
    })?;
    let view = profile(organization, "Organization");
    object("Organization", &field.selection, |field| {
        match field.name.as_str() {
            "team" => Ok(Value::Null),
            "teams" => select(&nothing(), &field.selection, "TeamConnection"),
            _ => own(&view, field, "Organization"),
        }
    })
}

/// Account without its connections.
fn profile(user: &User, kind: &str) -> Value {
    let mut view = actor(&user.login);
    view["__typename"] = kind.into();
    view["name"] = json!(user.name);
    view["email"] = user.email.as_deref().unwrap_or_default().into();
    view["url"] = format!("{HTML}/{}", user.login).into();
    view
}

/// Empty connection.
fn nothing() -> Value {
    json!({
        "nodes": [],
        "edges": [],
        "totalCount": 0,
        "pageInfo": {
            "hasNextPage": false,
            "hasPreviousPage": false,
            "startCursor": null,
            "endCursor": null,
        },
    })
}
