//! Generated release notes: the pull requests that were merged since the previous release.

use std::collections::{BTreeMap, HashSet};

use super::{Answer, Call, FieldError};
use crate::git::{ObjectId, check_new_ref_name};
use crate::hub::{Issue, Pull};
use crate::repository::RepositoryState;

/// Parameters of generated release notes.
pub(crate) struct NotesOf {
    pub(crate) tag: String,
    /// Commit or branch for a tag that does not exist. The default branch if empty.
    pub(crate) target: String,
    /// Previous tag. By default that of the newest release that is an ancestor.
    pub(crate) previous: Option<String>,
}

impl RepositoryState {
    /// Generates release notes: merged pull requests, new contributors, and a link to the full changelog.
    pub(crate) fn release_notes(&self, call: &Call, of: &NotesOf) -> Answer<String> {
        let invalid = |field| {
            call.invalid(vec![FieldError {
                resource: "Release",
                field,
                code: "invalid",
                message: String::new(),
            }])
        };
        if check_new_ref_name(&format!("refs/tags/{}", of.tag)).is_err() {
            return Err(invalid("tag_name"));
        }
        let target = match (self.tagged(&of.tag)?, of.target.as_str()) {
            (Some(commit), _) => Some(commit),
            (None, "") => self.git.branch(&self.hub.repository.default_branch),
            (None, target) => self.git.resolve(target)?,
        };
        let target = target.ok_or_else(|| invalid("target_commitish"))?;
        let all = self.git.newest_first([target], [])?;
        let reached: HashSet<ObjectId> = all.collect::<Result<_, _>>()?;
        let previous = match &of.previous {
            Some(tag) => {
                let commit = self.tagged(tag)?;
                let commit = commit.ok_or_else(|| invalid("previous_tag_name"))?;
                Some((tag.clone(), commit))
            }
            None => self.release_before(&of.tag, &reached)?,
        };
        let mut new = reached;
        if let Some((_, commit)) = &previous {
            for known in self.git.newest_first([*commit], [])? {
                new.remove(&known?);
            }
        }
        let mut text = String::new();
        let (merged, firsts) = self.merged_in(&new);
        if !merged.is_empty() {
            text += "## What's Changed\n";
            for (issue, _) in &merged {
                let page = self.html(&format!("/pull/{}", issue.number));
                text += &format!("* {} by @{} in {page}\n", issue.title, issue.user);
            }
            text.push('\n');
        }
        if !firsts.is_empty() {
            text += "## New Contributors\n";
            for issue in firsts {
                let page = self.html(&format!("/pull/{}", issue.number));
                text += &format!(
                    "* @{} made their first contribution in {page}\n",
                    issue.user
                );
            }
            text.push('\n');
        }
        let page = match previous {
            Some((before, _)) => self.html(&format!("/compare/{before}...{}", of.tag)),
            None => self.html(&format!("/commits/{}", of.tag)),
        };
        Ok(text + &format!("**Full Changelog**: {page}"))
    }

    fn tagged(&self, tag: &str) -> Answer<Option<ObjectId>> {
        Ok(match self.git.find_ref(&format!("refs/tags/{tag}")) {
            Some(id) => self.git.peel(id)?,
            None => None,
        })
    }

    /// Newest published release that has another tag and one of these commits.
    fn release_before(
        &self,
        tag: &str,
        among: &HashSet<ObjectId>,
    ) -> Answer<Option<(String, ObjectId)>> {
        let mut releases: Vec<_> = self.hub.releases.values().collect();
        releases.retain(|it| !it.draft && it.tag_name != tag);
        releases.sort_by_key(|it| std::cmp::Reverse((it.created_at, it.id)));
        for release in releases {
            if let Some(commit) = self.tagged(&release.tag_name)?
                && among.contains(&commit)
            {
                return Ok(Some((release.tag_name.clone(), commit)));
            }
        }
        Ok(None)
    }

    /// Pull requests that were merged by one of these commits, oldest first, and those among them that are the first
    /// merged pull requests of their authors.
    fn merged_in(&self, commits: &HashSet<ObjectId>) -> (Vec<(&Issue, &Pull)>, Vec<&Issue>) {
        let mut all: Vec<(&Issue, &Pull)> = self.hub.pulls().collect();
        all.retain(|(_, pull)| pull.merged_at.is_some());
        all.sort_by_key(|(issue, pull)| (pull.merged_at, issue.number));
        let is_new = |pull: &Pull| {
            let commit = pull.merge_commit_sha.as_deref().unwrap_or_default();
            ObjectId::from_hex(commit.as_bytes()).is_ok_and(|id| commits.contains(&id))
        };
        let mut first: BTreeMap<&str, &Issue> = BTreeMap::new();
        for (issue, _) in &all {
            first.entry(&issue.user).or_insert(issue);
        }
        all.retain(|(_, pull)| is_new(pull));
        let firsts = all.iter().map(|(issue, _)| *issue);
        let firsts = firsts.filter(|issue| first[issue.user.as_str()].number == issue.number);
        let firsts = firsts.collect();
        (all, firsts)
    }
}
