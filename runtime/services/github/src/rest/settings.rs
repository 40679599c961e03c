//! Endpoints that change the repository: settings, topics, and names of branches.

use serde_json::{Value, json};

use super::parsed_request::{Request, missing, not_a_member};
use super::reply::Outcome;
use super::{created, nothing, ok, repository};
use crate::api::{Call, RepositoryChange, RepositoryName};
use crate::repository::RepositoryState;

/// Fields that can be changed.
const KEPT: [&str; 8] = [
    "name",
    "description",
    "private",
    "visibility",
    "default_branch",
    "allow_merge_commit",
    "allow_squash_merge",
    "allow_rebase_merge",
];

/// Returns true if a request belongs to these endpoints.
pub(super) fn is_one(method: &str, below: &[&str]) -> bool {
    matches!(
        (method, below),
        ("PATCH", []) | ("PUT", ["topics"]) | ("POST", ["branches", .., "rename"])
    )
}

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match below {
        [] => {
            edit(repo, request, call)?;
            ok(repository::in_full(repo))
        }
        ["topics"] => {
            let names = request.fields(call)?.texts("names")?;
            let names = names.ok_or_else(|| missing(call, "names"))?;
            repo.set_topics(call, names)?;
            ok(json!({"names": repo.hub.repository.topics}))
        }
        ["branches", name @ .., "rename"] => {
            let new = request.fields(call)?.needed("new_name")?;
            repo.rename_branch(at, &name.join("/"), &new)?;
            created(repository::whole_branch(repo, call, &new)?)
        }
        _ => nothing(call),
    }
}

fn edit(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
) -> Result<(), crate::api::ApiError> {
    let fields = request.fields(call)?;
    // A field that a world does not store is accepted if it has its current value.
    let now = repository::in_full(repo);
    let other = |(key, value): &(&String, &Value)| {
        !KEPT.contains(&key.as_str()) && now.get(*key).is_some_and(|known| known != *value)
    };
    if let Some((key, _)) = fields.all().find(other) {
        let problem = format!("the repository of this world has no {key} that can be changed");
        return Err(call.refuse(422, problem));
    }
    let private = match fields.text("visibility")?.as_deref() {
        None => fields.truth("private")?,
        Some("public") => Some(false),
        Some("private") => Some(true),
        Some(other) => {
            let known = ["public", "private"];
            return Err(not_a_member(call, format_args!("{other:?}"), &known));
        }
    };
    repo.edit_repository(
        call,
        RepositoryChange {
            name: fields.text("name")?,
            description: fields.clearable("description")?,
            private,
            default_branch: fields.text("default_branch")?,
            allow_merge_commit: fields.truth("allow_merge_commit")?,
            allow_squash_merge: fields.truth("allow_squash_merge")?,
            allow_rebase_merge: fields.truth("allow_rebase_merge")?,
        },
    )
}
