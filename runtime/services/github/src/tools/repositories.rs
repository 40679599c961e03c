//! Releases, and repositories as such: the world has one, and none can be added.

use super::arguments::Arguments;
use super::{Outcome, protocol, said, shaped};
use crate::view::Site;

pub(super) fn list_releases(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let page = with.page()?;
    let releases = site
        .list_releases(&at, page)
        .map_err(protocol("failed to list releases"))?;
    shaped("RepositoryRelease", releases)
}

pub(super) fn get_latest_release(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let release = site
        .get_latest_release(&at)
        .map_err(protocol("failed to get latest release"))?;
    shaped("RepositoryRelease", release)
}

pub(super) fn get_release_by_tag(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let tag = with.text("tag")?;
    let release = site
        .get_release_by_tag(&at, &tag)
        .map_err(said("failed to get release by tag"))?;
    shaped("RepositoryRelease", release)
}

pub(super) fn create_repository(site: &Site, with: &Arguments) -> Outcome {
    with.text("name")?;
    with.optional_text("description")?;
    let organization = with.optional_text("organization")?;
    with.given_bool("private")?;
    with.given_bool("autoInit")?;
    let path = match organization.as_str() {
        "" => "/user/repos".to_owned(),
        organization => format!("/orgs/{organization}/repos"),
    };
    let call = site.call_anywhere("POST", &path);
    let refusal = call.refuse(403, "Resource not accessible by personal access token");
    Err(said("failed to create repository")(refusal))
}

pub(super) fn fork_repository(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    with.optional_text("organization")?;
    let call = site
        .call(&at, "POST", "/forks")
        .map_err(said("failed to fork repository"))?;
    let refusal = call.refuse(403, "Resource not accessible by personal access token");
    Err(said("failed to fork repository")(refusal))
}
