//! Releases.

use serde_json::Value;

use super::{Answer, Call, FieldError, Named, Page, Paged};
use crate::git::check_new_ref_name;
use crate::hub::{Kind, Release};
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
        let below = format!("/releases{}", page.query(&[]));
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

    /// A release by its id.
    pub(crate) fn find_release(&self, call: &Call, id: u64) -> Answer<&Release> {
        let ordinal = Kind::Release.ordinal(id);
        let known = ordinal.and_then(|ordinal| self.hub.releases.get(&ordinal));
        known.ok_or_else(|| call.not_found())
    }

    /// Makes a release, or replaces the one of the same ordinal; its tag is made where it is not there. An
    /// ordinal of 0 stands for a new one.
    pub(crate) fn put_release(&mut self, at: &Named, mut release: Release) -> Answer<u64> {
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

    /// Takes a release away; its tag stays.
    pub(crate) fn delete_release(&mut self, at: &Named, id: u64) -> Answer<()> {
        let call = self.call(at, "DELETE", "/releases")?;
        let id = self.find_release(&call, id)?.id;
        self.hub.releases.remove(&id);
        self.hub.tick();
        Ok(())
    }
}
