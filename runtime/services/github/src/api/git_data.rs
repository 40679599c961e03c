//! Refs, trees and commits of the git data API. Files are pushed and branches created with them.

use std::collections::HashSet;

use serde_json::Value;

use super::address::ref_name;
use super::{Answer, Call, RepositoryName};
use crate::call;
use crate::git::{Draft, Edit, EntryKind, GitError, Identity, ObjectId, check_new_ref_name};
use crate::hub::{Issue, Pull, State};
use crate::repository::{RepositoryState, Threads};

/// Entry of a new tree.
#[derive(Debug, Clone)]
pub(crate) struct TreeFile {
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    pub(crate) what: TreeContent,
}

/// Content of an entry of a new tree.
#[derive(Debug, Clone)]
pub(crate) enum TreeContent {
    /// Text of a new blob.
    Text(String),
    /// Existing object.
    Object(ObjectId),
    /// Removal of the entry.
    Nothing,
}

impl TreeFile {
    /// Regular file. It replaces any entry at the path.
    pub(crate) fn text(path: String, text: String) -> Self {
        Self {
            path,
            kind: EntryKind::File,
            what: TreeContent::Text(text),
        }
    }

    /// Removal of an entry.
    pub(crate) fn gone(path: String) -> Self {
        Self {
            path,
            kind: EntryKind::File,
            what: TreeContent::Nothing,
        }
    }
}

/// Commit to be created.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewCommit {
    pub(crate) message: String,
    pub(crate) tree: String,
    pub(crate) parents: Vec<String>,
    /// Author. The viewer by default.
    pub(crate) author: Option<Identity>,
    /// Committer. The author by default.
    pub(crate) committer: Option<Identity>,
}

/// Data that was read before a branch is moved.
pub(super) struct Moving {
    branch: String,
    commit: ObjectId,
    /// Open pull requests whose heads the commit contains, with their heads.
    landed: Vec<(u64, ObjectId)>,
    /// Commits that are new on the default branch, newest first.
    new: Vec<ObjectId>,
    threads: Threads,
}

impl RepositoryState {
    /// Full name and target of a ref. `name` may begin with `refs/`.
    pub(crate) fn get_ref(&self, at: &RepositoryName, name: &str) -> Answer<(String, ObjectId)> {
        let short = name.strip_prefix("refs/").unwrap_or(name);
        let call = self.call(at, "GET", &format!("/git/ref/{}", ref_name(short)))?;
        let full = format!("refs/{short}");
        let id = self.git.find_ref(&full).ok_or_else(|| call.not_found())?;
        Ok((full, id))
    }

    /// Creates a ref.
    pub(crate) fn create_ref(
        &mut self,
        at: &RepositoryName,
        name: &str,
        sha: &str,
    ) -> Answer<Value> {
        let call = self.call(at, "POST", "/git/refs")?;
        if check_new_ref_name(name).is_err()
            || !name.starts_with("refs/")
            || name.matches('/').count() < 2
        {
            return Err(call.refuse(422, format!("{name} is not a valid ref name.")));
        }
        check_writable(&call, name)?;
        if self.git.find_ref(name).is_some() {
            return Err(call.refuse(422, "Reference already exists"));
        }
        if self.git.ref_clashes(name) {
            return Err(call.refuse(422, "Reference update failed"));
        }
        let id = ObjectId::from_hex(sha.as_bytes()).ok();
        let commit = match id {
            Some(id) => self.git.peel(id)?,
            None => None,
        };
        let (Some(id), Some(commit)) = (id, commit) else {
            return Err(call.refuse(422, "Object does not exist"));
        };
        let branch = name.strip_prefix("refs/heads/");
        if branch.is_some() && id != commit {
            return Err(call.refuse(422, "Object is not a commit"));
        }
        let threads = self.threads_after(branch.map(|branch| (branch, id)), None)?;
        self.git.set_ref(name, id);
        self.hub.tick();
        self.branches_moved(threads)?;
        Ok(self.reference(name, id)?)
    }

    /// Creates a tree from another one with changed entries.
    pub(crate) fn create_tree(
        &mut self,
        at: &RepositoryName,
        base: ObjectId,
        files: &[TreeFile],
    ) -> Answer<ObjectId> {
        let call = self.call(at, "POST", "/git/trees")?;
        if files.is_empty() {
            return Err(call.refuse(422, "Invalid tree info"));
        }
        // Looking up entries one by one would read a directory for each of them.
        let taken_away = |file: &&TreeFile| matches!(file.what, TreeContent::Nothing);
        let known: Option<HashSet<String>> = if files.iter().filter(taken_away).count() > 1 {
            let all = self.git.walk(base)?.into_iter();
            Some(all.map(|entry| entry.path).collect())
        } else {
            None
        };
        let mut edits = Vec::new();
        for file in files {
            let (path, kind) = (file.path.clone(), file.kind);
            if path.starts_with('/') {
                return Err(call.refuse(422, "tree.path cannot start with a slash"));
            }
            edits.push(match &file.what {
                TreeContent::Text(text) => Edit::Put {
                    path,
                    kind,
                    id: self
                        .git
                        .write_blob(text.as_bytes())
                        .map_err(|error| call.refused_by_git(error))?,
                },
                TreeContent::Object(id) => Edit::Put {
                    path,
                    kind,
                    id: *id,
                },
                TreeContent::Nothing => {
                    let is_there = match &known {
                        Some(known) => known.contains(&path),
                        None => self.git.entry(base, &path)?.is_some(),
                    };
                    if !is_there {
                        return Err(call.refuse(422, "GitRPC::BadObjectState"));
                    }
                    Edit::Remove { path }
                }
            });
        }
        match self.git.edit_tree(base, &edits) {
            Ok(tree) => Ok(tree),
            Err(GitError::Path(_)) => {
                Err(call.refuse(422, "tree.path contains a malformed path component"))
            }
            Err(error) => Err(call.refused_by_git(error)),
        }
    }

    /// Commits files to a branch with the requests of `push_files` and `delete_file`: tree, commit, ref.
    pub(crate) fn commit_files(
        &mut self,
        at: &RepositoryName,
        branch: &str,
        tip: ObjectId,
        message: &str,
        files: &[TreeFile],
    ) -> Answer<ObjectId> {
        let tree = self.git.tree_of(tip)?;
        let tree = self.create_tree(at, tree, files)?;
        let call = self.call(
            at,
            "PATCH",
            &format!("/git/refs/heads/{}", ref_name(branch)),
        )?;
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

    /// Moves a ref. `force` allows an update that is not a fast-forward.
    pub(crate) fn update_ref(
        &mut self,
        at: &RepositoryName,
        name: &str,
        sha: &str,
        force: bool,
    ) -> Answer<Value> {
        let call = self.call(at, "PATCH", &format!("/git/{name}"))?;
        check_writable(&call, name)?;
        let Some(before) = self.git.find_ref(name) else {
            return Err(call.refuse(422, "Reference does not exist"));
        };
        let given = ObjectId::from_hex(sha.as_bytes()).ok();
        let commit = match given {
            Some(id) => self.git.peel(id)?,
            None => None,
        };
        let (Some(id), Some(commit)) = (given, commit) else {
            return Err(call.refuse(422, "Object does not exist"));
        };
        let forward = match self.git.peel(before)? {
            Some(before) => self.git.is_ancestor(before, commit)?,
            None => true,
        };
        if !forward && !force {
            return Err(call.refuse(422, "Update is not a fast forward"));
        }
        match name.strip_prefix("refs/heads/") {
            Some(branch) => {
                if self.is_closed_to_pushes(branch) {
                    let problem = "Changes must be made through a pull request.";
                    return Err(call.refuse(422, problem));
                }
                if id != commit {
                    return Err(call.refuse(422, "Object is not a commit"));
                }
                self.move_branch(branch, commit)?;
            }
            None => {
                self.git.set_ref(name, id);
                self.hub.tick();
            }
        }
        Ok(self.reference(name, id)?)
    }

    /// Deletes a ref. Closes the open pull requests from or into a deleted branch.
    pub(crate) fn delete_ref(&mut self, at: &RepositoryName, name: &str) -> Answer<()> {
        let call = self.call(at, "DELETE", &format!("/git/{name}"))?;
        check_writable(&call, name)?;
        if self.git.find_ref(name).is_none() {
            return Err(call.refuse(422, "Reference does not exist"));
        }
        let branch = name.strip_prefix("refs/heads/");
        if let Some(branch) = branch {
            if branch == self.hub.repository.default_branch {
                return Err(call.refuse(422, "Cannot delete the default branch"));
            }
            if self.hub.repository.protected_branches.contains_key(branch) {
                return Err(call.refuse(422, "Cannot delete a protected branch"));
            }
        }
        self.git.remove_ref(name);
        let gone = |(issue, pull): (&Issue, &Pull)| {
            // Without the first condition, the deletion of a tag would close pull requests from forks.
            let with = branch.is_some()
                && (pull.head_branch() == branch || Some(pull.base.as_str()) == branch);
            (issue.state == State::Open && with).then_some(issue.number)
        };
        let numbers: Vec<u64> = self.hub.pulls().filter_map(gone).collect();
        let by = self.viewer();
        for number in numbers {
            self.hub.close(number, &by, None);
        }
        self.hub.tick();
        Ok(())
    }

    /// Creates a commit. No ref points to it yet.
    pub(crate) fn create_commit(
        &mut self,
        at: &RepositoryName,
        new: NewCommit,
    ) -> Answer<ObjectId> {
        let call = self.call(at, "POST", "/git/commits")?;
        let object = |text: &str| ObjectId::from_hex(text.as_bytes()).ok();
        let kind = |id: Option<ObjectId>| match id {
            Some(id) => self.git.kind(id),
            None => Ok(None),
        };
        let tree = object(&new.tree);
        let tree = match (tree, kind(tree)?) {
            (Some(id), Some("tree")) => id,
            _ => return Err(call.refuse(422, "Tree SHA does not exist")),
        };
        let mut parents = Vec::new();
        for text in &new.parents {
            let parent = object(text);
            match (parent, kind(parent)?) {
                (Some(id), Some("commit")) => parents.push(id),
                _ => {
                    let problem = "Parent SHA does not exist or is not a commit object";
                    return Err(call.refuse(422, problem));
                }
            }
        }
        let author = new.author.unwrap_or_else(|| self.identity(&self.viewer()));
        let commit = Draft {
            tree,
            parents,
            committer: new.committer.unwrap_or_else(|| author.clone()),
            author,
            message: new.message,
        };
        Ok(self.git.write_commit(commit)?)
    }

    /// Reports whether a protection rule permits changes of a branch only by pull request.
    pub(crate) fn is_closed_to_pushes(&self, branch: &str) -> bool {
        let rules = self.hub.repository.protected_branches.get(branch);
        rules.is_some_and(|rules| rules.pull_requests_only || rules.required_approvals > 0)
    }

    /// Moves a branch to a commit. Updates the pull requests of the branch, and closes the issues that new commits on
    /// the default branch close.
    pub(crate) fn move_branch(&mut self, branch: &str, commit: ObjectId) -> Answer<()> {
        let moving = self.moving(branch, commit)?;
        self.finish_move(moving)
    }

    /// Reads the data for moving a branch. It is read before any change, because until then the call can be cancelled
    /// or refused.
    pub(super) fn moving(&self, branch: &str, commit: ObjectId) -> Answer<Moving> {
        let before = self.git.branch(branch);
        let mut new = Vec::new();
        if branch == self.hub.repository.default_branch
            && let Some(before) = before
        {
            let ids = self.git.newest_first([commit], [before])?;
            new = ids.collect::<Result<_, _>>()?;
        }
        if branch == self.hub.repository.default_branch {
            self.grow_default_branch(commit)?;
        }
        Ok(Moving {
            branch: branch.to_owned(),
            commit,
            landed: self.landed(branch, commit)?,
            new,
            threads: self.threads_after(Some((branch, commit)), None)?,
        })
    }

    /// Counts the files that a commit adds to the default branch, because they are files of the world.
    pub(super) fn grow_default_branch(&self, commit: ObjectId) -> Result<(), GitError> {
        if call::files_of_commit().is_none() {
            return Ok(());
        }
        let before = match self.git.branch(&self.hub.repository.default_branch) {
            Some(before) => self.git.files_below(self.git.tree_of(before)?)?,
            None => 0,
        };
        let after = self.git.files_below(self.git.tree_of(commit)?)?;
        Ok(call::grow(after.saturating_sub(before))?)
    }

    /// Moves a branch, and updates pull requests and issues.
    pub(super) fn finish_move(&mut self, moving: Moving) -> Answer<()> {
        let Moving {
            branch,
            commit,
            mut landed,
            new,
            threads,
        } = moving;
        self.git.set_ref(format!("refs/heads/{branch}"), commit);
        // The call may have closed some of them already.
        landed.retain(|(number, _)| {
            let issue = self.hub.issues.get(number);
            issue.is_some_and(|issue| issue.state == State::Open)
        });
        // Merged pull requests come first, so that closing keywords in their commits do not close them unmerged.
        self.close_landed(&branch, landed);
        for id in new.into_iter().rev() {
            let message = self.git.commit(id)?.message;
            self.close_mentioned(&message);
        }
        self.hub.tick();
        self.branches_moved(threads)?;
        Ok(())
    }

    /// Open pull requests into a branch whose heads its new tip contains, with their heads.
    fn landed(&self, branch: &str, tip: ObjectId) -> Answer<Vec<(u64, ObjectId)>> {
        let mut landed = Vec::new();
        for (issue, pull) in self.hub.pulls() {
            if issue.state == State::Open && pull.base == branch {
                let (_, head) = self.ends(pull)?;
                landed.push((issue.number, head));
            }
        }
        let heads = landed.iter().map(|(_, head)| *head);
        let reached = self.git.ancestors_among(tip, heads)?;
        landed.retain(|(_, head)| reached.contains(head));
        Ok(landed)
    }

    /// Marks open pull requests as merged because their base contains their heads now. Closes the issues that their
    /// texts close if the base is the default branch.
    fn close_landed(&mut self, branch: &str, landed: Vec<(u64, ObjectId)>) {
        let (now, by) = (self.hub.now, self.viewer());
        let mut texts = Vec::new();
        for (number, head) in landed {
            self.hub.close(number, &by, None);
            if let Some(issue) = self.hub.issues.get_mut(&number)
                && let Some(pull) = &mut issue.pull
            {
                pull.merged_at = Some(now);
                pull.merged_by = Some(by.clone());
                pull.merge_commit_sha = Some(head.to_string());
                texts.extend(issue.body.clone());
            }
        }
        if branch == self.hub.repository.default_branch {
            for text in texts {
                self.close_mentioned(&text);
            }
        }
    }

    /// Closes the open issues and pull requests that a text on the default branch closes.
    pub(crate) fn close_mentioned(&mut self, text: &str) {
        let repository = &self.hub.repository;
        let numbers = crate::hub::closes(text, &repository.owner, &repository.name);
        let by = self.viewer();
        for number in numbers {
            let is_pull = self.hub.pull(number).is_some();
            let reason = (!is_pull).then_some("completed");
            self.hub.close(number, &by, reason);
        }
    }

    /// Open pull requests whose base or head differs from the tip of its branch: number, tip of the base, tip of the
    /// head, and whether the head differs. `moved` gives a branch its future tip, and `reopened` counts a closed pull
    /// request as open.
    fn with_other_ends(
        &self,
        moved: Option<(&str, ObjectId)>,
        reopened: Option<u64>,
    ) -> Result<Vec<(u64, ObjectId, ObjectId, bool)>, GitError> {
        let mut found = Vec::new();
        let tip = |branch: &str| match moved {
            Some((moved, commit)) if moved == branch => Some(commit),
            _ => self.git.branch(branch),
        };
        for (issue, pull) in self.hub.pulls() {
            if issue.state == State::Open || Some(issue.number) == reopened {
                let (base, head) = self.ends(pull)?;
                let new_base = tip(&pull.base).unwrap_or(base);
                let new_head = pull.head_branch().and_then(tip).unwrap_or(head);
                let head_moved = new_head != head;
                if head_moved || new_base != base {
                    found.push((issue.number, new_base, new_head, head_moved));
                }
            }
        }
        Ok(found)
    }

    /// Review comments as they are after a branch has moved or a pull request was reopened.
    pub(super) fn threads_after(
        &self,
        moved: Option<(&str, ObjectId)>,
        reopened: Option<u64>,
    ) -> Result<Threads, GitError> {
        let mut threads = Threads::default();
        for (number, base, head, _) in self.with_other_ends(moved, reopened)? {
            threads.extend(self.threads_of(number, base, head)?);
        }
        Ok(threads)
    }

    /// Updates the base and head of open pull requests to the tips of their branches. Closes a pull request whose head
    /// moved to a commit that its base contains.
    pub(super) fn branches_moved(&mut self, mut threads: Threads) -> Result<(), GitError> {
        for (number, base, head, head_moved) in self.with_other_ends(None, None)? {
            self.set_threads(threads.remove_entry(&number).into_iter().collect());
            let is_empty = head_moved && self.git.is_ancestor(head, base)?;
            let now = self.hub.now;
            let Some(issue) = self.hub.issues.get_mut(&number) else {
                continue;
            };
            let Some(pull) = &mut issue.pull else {
                continue;
            };
            pull.base_sha = base.to_string();
            if !head_moved {
                continue;
            }
            pull.head_sha = head.to_string();
            issue.updated_at = now;
            self.git.set_ref(format!("refs/pull/{number}/head"), head);
            if is_empty {
                let by = self.viewer();
                self.hub.close(number, &by, None);
            }
        }
        Ok(())
    }
}

/// Refuses changes of refs that GitHub maintains itself.
fn check_writable(call: &Call, name: &str) -> Answer<()> {
    if name.starts_with("refs/pull/") {
        Err(call.refuse(422, "Reference update failed"))
    } else {
        Ok(())
    }
}
