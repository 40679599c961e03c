//! Objects of GitHub's REST API, derived from hub and git, with the fields in the order of GitHub.

mod actions;
mod commit;
mod content;
mod event;
mod gist;
mod issue;
mod job;
mod pull;
mod remarks;
mod repository;
mod user;

pub(crate) use actions::combined_state;
pub(crate) use commit::percent_encoded;
pub(crate) use content::guess_type;
use serde_json::{Value, json};

use crate::git::GitError;
use crate::hub::{Hub, Reaction, Time};

/// Association of an author with the repository (`author_association`).
pub(crate) fn association(hub: &Hub, login: &str) -> &'static str {
    let repository = &hub.repository;
    let is = |known: &String| known.eq_ignore_ascii_case(login);
    if is(&repository.owner) {
        "OWNER"
    } else if repository.collaborators.iter().any(is) {
        "COLLABORATOR"
    } else {
        "CONTRIBUTOR"
    }
}

/// Summary of reactions.
pub(crate) fn reactions(url: &str, reactions: &[Reaction]) -> Value {
    let mut summary = json!({"url": format!("{url}/reactions"), "total_count": reactions.len()});
    for content in [
        "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes",
    ] {
        let count = reactions.iter().filter(|it| it.content == content).count();
        summary[content] = count.into();
    }
    summary
}

/// Time, or null if absent.
pub(crate) fn time(time: Option<Time>) -> Value {
    time.map_or(Value::Null, |time| time.to_string().into())
}

/// JSON object of the API, or the error of git that prevented it.
pub(crate) type Viewed = Result<Value, GitError>;
