//! Refs, trees and commits as git has them: what files are pushed and branches made with.

use serde_json::Value;

use super::{Answer, Named};
use crate::git::{Draft, Edit, EntryKind, GitError, ObjectId, check_ref_name};
use crate::hub::State;
use crate::view::Site;

/// A file of a new tree; without text it is taken away.
#[derive(Debug, Clone)]
pub(crate) struct TreeFile {
    pub(crate) path: String,
    pub(crate) content: Option<String>,
}

impl Site {
    /// What a ref points to; `name` is full or begins after `refs/`.
    pub(crate) fn get_ref(&self, at: &Named, name: &str) -> Answer<(String, ObjectId)> {
        let short = name.strip_prefix("refs/").unwrap_or(name);
        let call = self.call(at, "GET", &format!("/git/ref/{short}"))?;
        let full = format!("refs/{short}");
        let id = self.git.find_ref(&full).ok_or_else(|| call.not_found())?;
        Ok((full, id))
    }

    /// Makes a ref.
    pub(crate) fn create_ref(&mut self, at: &Named, name: &str, sha: &str) -> Answer<Value> {
        let call = self.call(at, "POST", "/git/refs")?;
        if check_ref_name(name).is_err()
            || !name.starts_with("refs/")
            || name.matches('/').count() < 2
        {
            return Err(call.refuse(422, format!("{name} is not a valid ref name.")));
        }
        if self.git.find_ref(name).is_some() {
            return Err(call.refuse(422, "Reference already exists"));
        }
        if self.git.ref_clashes(name) {
            return Err(call.refuse(422, "Reference cannot be created"));
        }
        let id = ObjectId::from_hex(sha.as_bytes()).ok();
        let id = match id {
            Some(id) if self.git.peel(id)?.is_some() => id,
            _ => return Err(call.refuse(422, "Object does not exist")),
        };
        self.git.set_ref(name, id);
        self.hub.tick();
        self.branches_moved();
        Ok(self.reference(name, id)?)
    }

    /// Makes a tree that differs from another by some files.
    fn create_tree(&mut self, at: &Named, base: ObjectId, files: &[TreeFile]) -> Answer<ObjectId> {
        let call = self.call(at, "POST", "/git/trees")?;
        let mut edits = Vec::new();
        for file in files {
            let known = self.git.entry(base, &file.path);
            edits.push(match &file.content {
                Some(content) => Edit::Put {
                    path: file.path.clone(),
                    // The request says 100644, whatever stood there.
                    kind: EntryKind::File,
                    id: self.git.write_blob(content.as_bytes())?,
                },
                None if known.is_ok_and(|known| known.is_some()) => Edit::Remove {
                    path: file.path.clone(),
                },
                None => return Err(call.refuse(422, "GitRPC::BadObjectState")),
            });
        }
        match self.git.edit_tree(base, &edits) {
            Ok(tree) => Ok(tree),
            Err(GitError::Path(_)) => {
                Err(call.refuse(422, "tree.path contains a malformed path component"))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Commits some files to a branch, as `push_files` and `delete_file` do it: tree, commit, ref.
    pub(crate) fn commit_files(
        &mut self,
        at: &Named,
        branch: &str,
        tip: ObjectId,
        message: &str,
        files: &[TreeFile],
    ) -> Answer<ObjectId> {
        let tree = self.git.tree_of(tip)?;
        let tree = self.create_tree(at, tree, files)?;
        let call = self.call(at, "PATCH", &format!("/git/refs/heads/{branch}"))?;
        if self.is_closed_to_pushes(branch) {
            return Err(call.refuse(422, "Changes must be made through a pull request."));
        }
        let author = self.identity(&self.viewer());
        let commit = self.git.write_commit(Draft {
            tree,
            parents: vec![tip],
            committer: author.clone(),
            author,
            message: message.to_owned(),
        })?;
        self.move_branch(branch, commit)?;
        Ok(commit)
    }

    /// Whether a branch takes pull requests alone.
    pub(crate) fn is_closed_to_pushes(&self, branch: &str) -> bool {
        let rules = self.hub.repository.protected_branches.get(branch);
        rules.is_some_and(|rules| rules.pull_requests_only || rules.required_approvals > 0)
    }

    /// Moves a branch to a commit, with all that follows: pull requests go on with their heads, and what
    /// the new commits on the default branch close is closed.
    pub(crate) fn move_branch(&mut self, branch: &str, commit: ObjectId) -> Answer<()> {
        let name = format!("refs/heads/{branch}");
        let before = self.git.find_ref(&name);
        self.git.set_ref(name, commit);
        if branch == self.hub.repository.default_branch
            && let Some(before) = before
        {
            let new: Result<Vec<_>, _> = self.git.newest_first([commit], [before])?.collect();
            for id in new?.into_iter().rev() {
                let message = self.git.commit(id)?.message;
                self.close_mentioned(&message);
            }
        }
        self.close_landed(branch, commit)?;
        self.hub.tick();
        self.branches_moved();
        Ok(())
    }

    /// Counts open pull requests as merged whose heads have come into their base some other way.
    fn close_landed(&mut self, branch: &str, tip: ObjectId) -> Answer<()> {
        let mut landed = Vec::new();
        for (issue, pull) in self.hub.pulls() {
            if issue.state == State::Open && pull.base == branch {
                let (_, head) = self.ends(pull)?;
                if self.git.is_ancestor(head, tip)? {
                    landed.push((issue.number, head));
                }
            }
        }
        let (now, by) = (self.hub.now, self.viewer());
        for (number, head) in landed {
            self.hub.close(number, &by, None);
            let issue = self.hub.issues.get_mut(&number);
            if let Some(pull) = issue.and_then(|issue| issue.pull.as_mut()) {
                pull.merged_at = Some(now);
                pull.merged_by = Some(by.clone());
                pull.merge_commit_sha = Some(head.to_string());
            }
        }
        Ok(())
    }

    /// Closes the open issues that a text on the default branch closes.
    pub(crate) fn close_mentioned(&mut self, text: &str) {
        let repository = &self.hub.repository;
        let numbers = crate::hub::closes(text, &repository.owner, &repository.name);
        let by = self.viewer();
        for number in numbers {
            if self
                .hub
                .issues
                .get(&number)
                .is_some_and(|issue| issue.pull.is_none())
            {
                self.hub.close(number, &by, Some("completed"));
            }
        }
    }

    /// Brings open pull requests up to date with their branches.
    pub(crate) fn branches_moved(&mut self) {
        let mut heads = Vec::new();
        for issue in self.hub.issues.values_mut() {
            let Some(pull) = issue.pull.as_mut() else {
                continue;
            };
            if issue.state != State::Open {
                continue;
            }
            if let Some(base) = self.git.branch(&pull.base) {
                pull.base_sha = base.to_string();
            }
            let branch = pull.local_branch.as_deref().unwrap_or(&pull.head);
            if let Some(head) = self.git.branch(branch) {
                let head_sha = head.to_string();
                if pull.head_sha != head_sha {
                    pull.head_sha = head_sha;
                    issue.updated_at = self.hub.now;
                }
                heads.push((issue.number, head));
            }
        }
        for (number, head) in heads {
            self.git.set_ref(format!("refs/pull/{number}/head"), head);
        }
    }
}
