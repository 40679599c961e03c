//! Gists. They are read-only.

use std::cmp::Reverse;

use serde_json::Value;

use super::{Answer, Page};
use crate::hub::{Gist, Time};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Reports whether the world contains gists. Their tools are offered only then.
    pub(crate) fn has_gists(&self) -> bool {
        !self.hub.gists.is_empty()
    }

    /// Gists of an owner, by default the viewer, by descending time of change. Secret gists are included only for the
    /// viewer. All pages are returned.
    pub(crate) fn list_gists(
        &self,
        owner: Option<&str>,
        since: Option<Time>,
        page: Page,
    ) -> Answer<Vec<Value>> {
        let paging = page.query(&[]);
        let viewer = &self.hub.repository.viewer;
        if let Some(owner) = owner {
            let call = self.call_anywhere("GET", &format!("/users/{owner}/gists{paging}"));
            if self.hub.user(owner).is_none() {
                return Err(call.not_found());
            }
        }
        let owner = owner.unwrap_or(viewer);
        let is_own = owner.eq_ignore_ascii_case(viewer);
        let is_shown = |gist: &&Gist| {
            gist.owner.eq_ignore_ascii_case(owner)
                && (is_own || gist.public)
                && since.is_none_or(|since| gist.updated_at >= since)
        };
        let mut gists: Vec<&Gist> = self.hub.gists.values().filter(is_shown).collect();
        gists.sort_by_key(|gist| Reverse(gist.updated_at));
        let gists = gists.into_iter();
        Ok(gists.map(|gist| self.gist(gist, false)).collect())
    }

    /// Gist with the contents of its files. A secret gist is found by its id.
    pub(crate) fn get_gist(&self, id: &str) -> Answer<Value> {
        let call = self.call_anywhere("GET", &format!("/gists/{id}"));
        let gist = self.hub.gists.get(id).ok_or_else(|| call.not_found())?;
        Ok(self.gist(gist, true))
    }
}
