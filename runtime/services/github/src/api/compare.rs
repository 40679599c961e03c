//! Comparison of two commits, and merging of branches without a pull request.

use serde_json::{Value, json};

use super::{Answer, Call, Page, Paged, RepositoryName};
use crate::git::{Draft, Merged, ObjectId};
use crate::repository::RepositoryState;

/// Maximum number of files in a comparison, and on a page of a commit.
pub(crate) const MAX_FILES: usize = 300;

/// Splits `base..head` and `base...head` into the two ends, and reports whether the comparison is direct. With three
/// dots, it begins at the merge base.
fn ends(asked: &str) -> Option<(&str, &str, bool)> {
    match asked.split_once("...") {
        Some((base, head)) => Some((base, head, false)),
        None => asked
            .split_once("..")
            .map(|(base, head)| (base, head, true)),
    }
}

impl RepositoryState {
    /// Resolves one end of a comparison: a ref or a commit, with an optional `owner:` prefix.
    fn end(&self, call: &Call, text: &str) -> Answer<ObjectId> {
        let owner = &self.hub.repository.owner;
        let name = match text.split_once(':') {
            Some((of, name)) if of.eq_ignore_ascii_case(owner) => name,
            Some(_) => return Err(call.not_found()),
            None => text,
        };
        self.find_commit(call, name).map_err(|_| call.not_found())
    }

    /// Compares two commits. Returns the comparison, with a page of the commits that only the head has, and their total
    /// number.
    pub(crate) fn compare(
        &self,
        at: &RepositoryName,
        asked: &str,
        page: Page,
    ) -> Answer<(Value, usize)> {
        let call = self.call(at, "GET", &format!("/compare/{asked}"))?;
        let (base, head, directly) = ends(asked).ok_or_else(|| call.not_found())?;
        let (from, to) = (self.end(&call, base)?, self.end(&call, head)?);
        let merge_base = self.git.merge_base(from, to)?.ok_or_else(|| {
            call.refuse(
                404,
                format!("No common ancestor between {base} and {head}."),
            )
        })?;
        let ahead = self.git.ahead(from, to)?;
        let behind = self.git.ahead(to, from)?.len();
        let status = match (ahead.len(), behind) {
            (0, 0) => "identical",
            (_, 0) => "ahead",
            (0, _) => "behind",
            _ => "diverged",
        };
        let before = if directly { from } else { merge_base };
        let changes = self
            .git
            .changes(Some(self.git.tree_of(before)?), self.git.tree_of(to)?)?;
        let mut commits = Vec::new();
        for id in ahead.iter().copied().page(page) {
            commits.push(self.commit(&self.git.commit(id)?));
        }
        // Only the first page contains files.
        let files = if page.number == 1 { MAX_FILES } else { 0 };
        let files = changes.iter().take(files);
        let below = format!("/compare/{asked}");
        let exactly = format!("/compare/{from}...{to}");
        let view = json!({
            "url": self.api(&below),
            "html_url": self.html(&below),
            "permalink_url": self.html(&exactly),
            "diff_url": self.html(&format!("{below}.diff")),
            "patch_url": self.html(&format!("{below}.patch")),
            "base_commit": self.commit(&self.git.commit(from)?),
            "merge_base_commit": self.commit(&self.git.commit(merge_base)?),
            "status": status,
            "ahead_by": ahead.len(),
            "behind_by": behind,
            "total_commits": ahead.len(),
            "commits": commits,
            "files": files.map(|change| self.file(change, to)).collect::<Value>(),
        });
        Ok((view, ahead.len()))
    }

    /// Diff of two commits, in the format of `git diff base...head` or `git diff base..head`.
    pub(crate) fn compare_diff(&self, at: &RepositoryName, asked: &str) -> Answer<String> {
        let call = self.call(at, "GET", &format!("/compare/{asked}"))?;
        let (base, head, directly) = ends(asked).ok_or_else(|| call.not_found())?;
        let (from, to) = (self.end(&call, base)?, self.end(&call, head)?);
        let before = if directly {
            from
        } else {
            self.git.merge_base(from, to)?.unwrap_or(from)
        };
        let changes = self
            .git
            .changes(Some(self.git.tree_of(before)?), self.git.tree_of(to)?)?;
        Ok(changes.iter().map(crate::git::Change::text).collect())
    }

    /// Commits that only the head has, in the format of `git format-patch`.
    pub(crate) fn compare_mails(&self, at: &RepositoryName, asked: &str) -> Answer<String> {
        let call = self.call(at, "GET", &format!("/compare/{asked}"))?;
        let (base, head, _) = ends(asked).ok_or_else(|| call.not_found())?;
        let (from, to) = (self.end(&call, base)?, self.end(&call, head)?);
        Ok(self.git.mails(&self.git.ahead(from, to)?)?)
    }

    /// Merges a ref into a branch. Returns `None` if the branch already contains it.
    pub(crate) fn merge_branches(
        &mut self,
        at: &RepositoryName,
        base: &str,
        head: &str,
        message: Option<String>,
    ) -> Answer<Option<ObjectId>> {
        let call = self.call(at, "POST", "/merges")?;
        let into = self
            .git
            .branch(base)
            .ok_or_else(|| call.refuse(404, "Base does not exist"))?;
        let from = self
            .git
            .resolve(head)?
            .ok_or_else(|| call.refuse(404, "Head does not exist"))?;
        if self.git.is_ancestor(from, into)? {
            return Ok(None);
        }
        if self.is_closed_to_pushes(base) {
            return Err(call.refuse(422, "Changes must be made through a pull request."));
        }
        let Merged::Clean(tree) = self.merge(&call, into, from)? else {
            return Err(call.refuse(409, "Merge conflict"));
        };
        let commit = self.git.write_commit(Draft {
            tree,
            parents: vec![into, from],
            author: self.identity(&self.viewer()),
            committer: self.web_flow(),
            message: message.unwrap_or_else(|| format!("Merge {head} into {base}")),
        })?;
        self.move_branch(base, commit)?;
        Ok(Some(commit))
    }
}
