//! Tools for releases, and for creating and forking repositories, which always fail with 403.

use super::arguments::Arguments;
use super::{Outcome, protocol_error, shaped, tool_error};
use crate::repository::RepositoryState;

pub(super) fn list_releases(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let releases = repo
        .list_releases(&at, page)
        .map_err(protocol_error("failed to list releases"))?;
    shaped("RepositoryRelease", releases)
}

pub(super) fn get_latest_release(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let release = repo
        .get_latest_release(&at)
        .map_err(protocol_error("failed to get latest release"))?;
    shaped("RepositoryRelease", release)
}

pub(super) fn get_release_by_tag(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let tag = with.text("tag")?;
    let release = repo
        .get_release_by_tag(&at, &tag)
        .map_err(tool_error("failed to get release by tag"))?;
    shaped("RepositoryRelease", release)
}

pub(super) fn create_repository(repo: &RepositoryState, with: &Arguments) -> Outcome {
    with.text("name")?;
    with.optional_text("description")?;
    let organization = with.optional_text("organization")?;
    with.given_bool("private")?;
    with.given_bool("autoInit")?;
    let path = match organization.as_str() {
        "" => "/user/repos".to_owned(),
        organization => format!("/orgs/{organization}/repos"),
    };
    let call = repo.call_anywhere("POST", &path);
    let refusal = call.refuse(403, "Resource not accessible by personal access token");
    Err(tool_error("failed to create repository")(refusal))
}

pub(super) fn fork_repository(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    with.optional_text("organization")?;
    let call = repo
        .call(&at, "POST", "/forks")
        .map_err(tool_error("failed to fork repository"))?;
    let refusal = call.refuse(403, "Resource not accessible by personal access token");
    Err(tool_error("failed to fork repository")(refusal))
}
