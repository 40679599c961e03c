//! Read-only tools for gists.

use super::arguments::Arguments;
use super::issues::parse_since;
use super::{Failure, Outcome, protocol_error, shaped, tool_error};
use crate::api::Paged;
use crate::hub::Time;
use crate::profile::Profile;
use crate::repository::RepositoryState;

pub(super) fn list(repo: &RepositoryState, with: &Arguments, profile: Profile) -> Outcome {
    const DURING: &str = "failed to list gists";
    let owner = with.optional_text("username")?;
    let since = with.optional_text("since")?;
    let page = with.page()?;
    let since = read_since(&since)?;
    let owner = (!owner.is_empty()).then_some(owner);
    let gists = repo.list_gists(owner.as_deref(), since, page);
    let gists = match profile {
        Profile::V0_15_0 => gists.map_err(protocol_error(DURING))?,
        Profile::V1_10_1 => gists.map_err(tool_error(DURING))?,
    };
    shaped("Gist", gists.into_iter().page(page).collect())
}

pub(super) fn get(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let id = with.text("gist_id")?;
    let gist = repo
        .get_gist(&id)
        .map_err(tool_error("failed to get gist"))?;
    shaped("Gist", gist)
}

fn read_since(text: &str) -> Result<Option<Time>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    let read = parse_since(text).map(Some);
    read.ok_or_else(|| {
        Failure::tool_error(format!(
            "invalid since timestamp: invalid ISO 8601 timestamp: {text} (supported formats: \
             YYYY-MM-DDThh:mm:ssZ or YYYY-MM-DD)"
        ))
    })
}
