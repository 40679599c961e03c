//! Users.

use super::paging::Paging;
use super::{Call, path_id};
use crate::model::Workspace;
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// `GET /v1/users`.
pub(super) fn list(workspace: &Workspace, call: &Call<'_>) -> Outcome {
    call.query.only(&["start_cursor", "page_size"])?;
    let users = workspace.users.iter().collect();
    let (users, next) = Paging::parse(&call.query)?.page(users, |user| user.id)?;
    let users = users
        .into_iter()
        .map(|user| view::user(workspace, user))
        .collect();
    Ok(view::list(users, next, "user"))
}

/// `GET /v1/users/me`.
pub(super) fn me(workspace: &Workspace, call: &Call<'_>) -> Outcome {
    call.query.only(&[])?;
    let bot = workspace.user(workspace.bot);
    let bot = bot.ok_or_else(|| Refusal::not_found(Noun::User, workspace.bot))?;
    Ok(view::user(workspace, bot))
}

/// `GET /v1/users/{user_id}`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("user_id", id)?;
    call.query.only(&[])?;
    let user = workspace
        .user(id)
        .ok_or_else(|| Refusal::not_found(Noun::User, id))?;
    Ok(view::user(workspace, user))
}
