//! Changes of the repository itself: its settings, its topics, and the names of its branches.

use serde_json::{Value, json};

use super::asked::Asked;
use super::reply::Outcome;
use super::{created, nothing, ok, repository};
use crate::api::{Call, Named, RepositoryChange};
use crate::view::Site;

/// The fields that can be changed.
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

/// Whether a request is one of these.
pub(super) fn is_one(method: &str, below: &[&str]) -> bool {
    matches!(
        (method, below),
        ("PATCH", []) | ("PUT", ["topics"]) | ("POST", ["branches", .., "rename"])
    )
}

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match below {
        [] => {
            edit(site, asked, call)?;
            ok(repository::in_full(site))
        }
        ["topics"] => {
            let names = asked.fields(call)?.texts("names")?;
            let missing = || call.refuse(422, "Invalid request.\n\n\"names\" wasn't supplied.");
            site.set_topics(call, names.ok_or_else(missing)?)?;
            ok(json!({"names": site.hub.repository.topics}))
        }
        ["branches", name @ .., "rename"] => {
            let new = asked.fields(call)?.needed("new_name")?;
            site.rename_branch(at, &name.join("/"), &new)?;
            created(repository::whole_branch(site, call, &new)?)
        }
        _ => nothing(call),
    }
}

fn edit(site: &mut Site, asked: &Asked<'_>, call: &Call) -> Result<(), crate::api::ApiError> {
    let fields = asked.fields(call)?;
    // What a world does not keep may be said as it is, and cannot be changed.
    let now = repository::in_full(site);
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
            let problem = format!(
                "Invalid request.\n\n{other:?} is not a member of [\"public\", \"private\"]."
            );
            return Err(call.refuse(422, problem));
        }
    };
    site.edit_repository(
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
