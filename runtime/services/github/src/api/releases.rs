//! Releases of the repository and their tags.

use serde_json::Value;

use super::{Answer, Call, FieldError, Page, Paged, RepositoryName};
use crate::git::check_new_ref_name;
use crate::hub::{Kind, Release};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Releases, newest first.
    fn releases(&self) -> Vec<&Release> {
        let mut all: Vec<&Release> = self.hub.releases.values().collect();
        all.sort_by_key(|release| (release.created_at, release.id));
        all.reverse();
        all
    }

    /// Page of the releases, newest first.
    pub(crate) fn list_releases(&self, at: &RepositoryName, page: Page) -> Answer<Value> {
        let below = format!("/releases{}", page.query(&[]));
        self.call(at, "GET", &below)?;
        let releases = self.releases().into_iter().page(page);
        Ok(releases.map(|release| self.release(release)).collect())
    }

    /// Newest release that is neither a draft nor a prerelease.
    pub(crate) fn get_latest_release(&self, at: &RepositoryName) -> Answer<Value> {
        let call = self.call(at, "GET", "/releases/latest")?;
        let mut releases = self.releases().into_iter();
        let latest = releases.find(|release| !release.draft && !release.prerelease);
        latest
            .map(|release| self.release(release))
            .ok_or_else(|| call.not_found())
    }

    /// Published release with a tag.
    pub(crate) fn get_release_by_tag(&self, at: &RepositoryName, tag: &str) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/releases/tags/{tag}"))?;
        let mut releases = self.releases().into_iter();
        let its = releases.find(|release| release.tag_name == tag && !release.draft);
        its.map(|release| self.release(release))
            .ok_or_else(|| call.not_found())
    }

    /// Release with an id.
    pub(crate) fn find_release(&self, call: &Call, id: u64) -> Answer<&Release> {
        let ordinal = Kind::Release.ordinal(id);
        let known = ordinal.and_then(|ordinal| self.hub.releases.get(&ordinal));
        known.ok_or_else(|| call.not_found())
    }

    /// Creates a release if its ordinal is 0, or replaces the one with the same ordinal. If it is not a draft, its tag
    /// is created unless it exists.
    pub(crate) fn put_release(&mut self, at: &RepositoryName, mut release: Release) -> Answer<u64> {
        let call = self.call(at, "POST", "/releases")?;
        let field = |field, code| {
            vec![FieldError {
                resource: "Release",
                field,
                code,
                message: String::new(),
            }]
        };
        let tag = format!("refs/tags/{}", release.tag_name);
        if check_new_ref_name(&tag).is_err() {
            return Err(call.invalid(field("tag_name", "invalid")));
        }
        let mut others = self.hub.releases.values();
        if others.any(|it| it.tag_name == release.tag_name && it.id != release.id && !it.draft) {
            return Err(call.invalid(field("tag_name", "already_exists")));
        }
        let now = self.hub.now;
        if !release.draft {
            if self.git.find_ref(&tag).is_none() {
                let target = match release.target_commitish.as_str() {
                    "" => self.hub.repository.default_branch.as_str(),
                    target => target,
                };
                let Some(commit) = self.git.resolve(target)? else {
                    return Err(call.invalid(field("target_commitish", "invalid")));
                };
                self.git.set_ref(tag, commit);
            }
            release.published_at.get_or_insert(now);
        }
        if release.id == 0 {
            self.hub.last.release += 1;
            release.id = self.hub.last.release;
            release.created_at = now;
        }
        let id = release.id;
        self.hub.releases.insert(id, release);
        self.hub.tick();
        Ok(id)
    }

    /// Deletes a release. Its tag stays.
    pub(crate) fn delete_release(&mut self, at: &RepositoryName, id: u64) -> Answer<()> {
        let call = self.call(at, "DELETE", "/releases")?;
        let id = self.find_release(&call, id)?.id;
        self.hub.releases.remove(&id);
        self.hub.tick();
        Ok(())
    }
}
