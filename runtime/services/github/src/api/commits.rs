//! Commits, branches and tags.

use serde_json::Value;

use super::{Answer, Call, Page, Paged, RepositoryName};
use crate::git::{Author, Commit, Filter, ObjectId};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Resolves the name of a commit. An empty name is the default branch.
    ///
    /// # Errors
    ///
    /// Returns 422 if the name cannot be resolved, like the commits API.
    pub(crate) fn find_commit(&self, call: &Call, text: &str) -> Answer<ObjectId> {
        let name = match text {
            "" | "HEAD" => self.hub.repository.default_branch.as_str(),
            text => text,
        };
        self.git
            .resolve(name)?
            .ok_or_else(|| call.refuse(422, format!("No commit found for SHA: {text}")))
    }

    /// Commit with a page of its files.
    pub(crate) fn get_commit(&self, at: &RepositoryName, sha: &str, page: Page) -> Answer<Value> {
        let below = format!("/commits/{sha}{}", page.query(&[]));
        let call = self.call(at, "GET", &below)?;
        let commit = self.git.commit(self.find_commit(&call, sha)?)?;
        let changes = self.changes_of(&commit)?;
        let mut view = self.commit_in_full(&commit, &changes)?;
        let files = changes.iter().page(page);
        view["files"] = files.map(|change| self.file(change, commit.id)).collect();
        Ok(view)
    }

    /// Page of the history of a branch or a commit.
    pub(crate) fn list_commits(
        &self,
        at: &RepositoryName,
        sha: &str,
        filter: Filter,
        page: Page,
    ) -> Answer<Vec<Commit>> {
        let author = filter.author.as_ref().map_or("", |it| it.asked.as_str());
        let asked = page.query(&[("author", author), ("sha", sha)]);
        let call = self.call(at, "GET", &format!("/commits{asked}"))?;
        let tip = match self.find_commit(&call, sha) {
            Ok(tip) => tip,
            Err(_) if sha.is_empty() => return Err(call.refuse(409, "Git Repository is empty.")),
            Err(_) => return Err(call.not_found()),
        };
        Ok(self.git.log(tip, &filter, page.skipped(), page.size)?)
    }

    /// Filter for the commits of an author, by login, name or email address. Returns `None` for an empty text.
    pub(crate) fn by_author(&self, author: &str) -> Option<Author> {
        if author.is_empty() {
            return None;
        }
        let emails = self.hub.user(author).map(|user| {
            let known = user.email.iter().chain(&user.emails);
            let noreply = format!("{}@users.noreply.github.com", user.login);
            known
                .cloned()
                .chain([noreply])
                .map(|it| it.to_lowercase())
                .collect()
        });
        Some(Author {
            emails: emails.unwrap_or_default(),
            text: author.to_lowercase(),
            asked: author.to_owned(),
        })
    }

    /// Page of the branches, by name.
    pub(crate) fn list_branches(&self, at: &RepositoryName, page: Page) -> Answer<Value> {
        let below = format!("/branches{}", page.query(&[]));
        self.call(at, "GET", &below)?;
        let branches = self.git.refs_below("refs/heads/").page(page);
        Ok(branches.map(|(name, tip)| self.branch(name, tip)).collect())
    }

    /// Page of the tags, in descending order of their names.
    pub(crate) fn list_tags(&self, at: &RepositoryName, page: Page) -> Answer<Value> {
        let below = format!("/tags{}", page.query(&[]));
        self.call(at, "GET", &below)?;
        let mut tags: Vec<_> = self.git.refs_below("refs/tags/").collect();
        tags.reverse();
        let mut list = Vec::new();
        for (name, id) in tags.into_iter().page(page) {
            if let Some(commit) = self.git.peel(id)? {
                list.push(self.tag(name, commit));
            }
        }
        Ok(list.into())
    }
}
