//! Releases.

use serde_json::Value;

use super::{Answer, Named, Page, Paged};
use crate::hub::Release;
use crate::view::Site;

impl Site {
    /// The releases, the newest first.
    fn releases(&self) -> Vec<&Release> {
        let mut all: Vec<&Release> = self.hub.releases.values().collect();
        all.sort_by_key(|release| (release.created_at, release.id));
        all.reverse();
        all
    }

    /// A page of the releases, the newest first.
    pub(crate) fn list_releases(&self, at: &Named, page: Page) -> Answer<Value> {
        let below = format!("/releases?page={}&per_page={}", page.number, page.size);
        self.call(at, "GET", &below)?;
        let releases = self.releases().into_iter().page(page);
        Ok(releases.map(|release| self.release(release)).collect())
    }

    /// The newest release that is published and meant for everybody.
    pub(crate) fn get_latest_release(&self, at: &Named) -> Answer<Value> {
        let call = self.call(at, "GET", "/releases/latest")?;
        let mut releases = self.releases().into_iter();
        let latest = releases.find(|release| !release.draft && !release.prerelease);
        latest
            .map(|release| self.release(release))
            .ok_or_else(|| call.not_found())
    }

    /// The release of a tag.
    pub(crate) fn get_release_by_tag(&self, at: &Named, tag: &str) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/releases/tags/{tag}"))?;
        let mut releases = self.releases().into_iter();
        let its = releases.find(|release| release.tag_name == tag && !release.draft);
        its.map(|release| self.release(release))
            .ok_or_else(|| call.not_found())
    }
}
