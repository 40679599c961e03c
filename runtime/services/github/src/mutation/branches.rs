//! Mutations of branches.

use std::collections::{BTreeMap, BTreeSet};

use super::{MutationError, MutationKind, Mutator};
use crate::git::{Draft, Git, GitError, ObjectId};
use crate::hub::State;
use crate::world::Opened;

impl Mutator<'_> {
    /// Returns the branches that the solution created or moved, and the others.
    pub(super) fn branches(&self) -> (Vec<String>, Vec<String>) {
        let moved = |name: &String| self.start.git.branch(name) != self.end.git.branch(name);
        names(&self.end.git).into_iter().partition(moved)
    }

    pub(super) fn refs(&mut self, branch: &str) -> Result<(), MutationError> {
        let Some(tip) = self.end.git.branch(branch) else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        self.add_mutant(
            MutationKind::ExtraCommit,
            branch,
            "a commit more",
            |world| {
                let commit = world.git.commit(tip)?;
                let id = world.git.write_commit(Draft {
                    tree: commit.tree,
                    parents: vec![tip],
                    author: commit.author,
                    committer: commit.committer,
                    message: "wip\n".to_owned(),
                })?;
                set_tip(world, &name, tip, id);
                Ok(())
            },
        )?;
        if let Some(parent) = self.end.git.commit(tip)?.parents.first().copied() {
            self.add_mutant(
                MutationKind::MovedBranch,
                branch,
                "back at the commit before",
                |world| {
                    set_tip(world, &name, tip, parent);
                    Ok(())
                },
            )?;
        }
        if branch != self.end.hub.repository.default_branch {
            self.add_mutant(MutationKind::MissingBranch, branch, "gone", |world| {
                world.git.remove_ref(&name);
                Ok(())
            })?;
        }
        Ok(())
    }

    pub(super) fn stray_branch(&mut self) -> Result<(), MutationError> {
        let default = self.end.hub.repository.default_branch.clone();
        if let Some(tip) = self.end.git.branch(&default) {
            self.add_mutant(MutationKind::StrayBranch, "scratch", "added", |world| {
                world.git.set_ref("refs/heads/scratch", tip);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Moves a branch. Open pull requests whose head is this branch at its old tip move with it.
pub(super) fn set_tip(world: &mut Opened, name: &str, old: ObjectId, new: ObjectId) {
    world.git.set_ref(name, new);
    let branch = name.strip_prefix("refs/heads/");
    let (old, open) = (old.to_string(), State::Open);
    for (number, issue) in &mut world.hub.issues {
        if let Some(pull) = &mut issue.pull
            && issue.state == open
            && pull.head_sha == old
            && branch.is_some()
            && pull.head_branch() == branch
        {
            pull.head_sha = new.to_string();
            world.git.set_ref(format!("refs/pull/{number}/head"), new);
        }
    }
}

/// Replaces a commit: rewrites its descendants, and updates refs, pull requests, runs, and the comments and
/// statuses of commits.
pub(super) fn replace(world: &mut Opened, old: ObjectId, new: ObjectId) -> Result<(), GitError> {
    let git = &mut world.git;
    let mut refs = Vec::new();
    for (name, id) in git.refs_below("refs/") {
        // Annotated tags are not moved.
        if git.kind(id)? == Some("commit") {
            refs.push((format!("refs/{name}"), id));
        }
    }
    let tips = refs.iter().map(|(_, id)| *id);
    let later: Result<Vec<ObjectId>, GitError> = git.newest_first(tips, [old])?.collect();
    let mut remade = BTreeMap::from([(old, new)]);
    for id in later?.into_iter().rev() {
        let commit = git.commit(id)?;
        if !commit.parents.iter().any(|id| remade.contains_key(id)) {
            continue;
        }
        let parents = commit.parents.iter();
        let again = git.write_commit(Draft {
            tree: commit.tree,
            parents: parents.map(|id| *remade.get(id).unwrap_or(id)).collect(),
            author: commit.author,
            committer: commit.committer,
            message: format!("{}\n", commit.message),
        })?;
        remade.insert(id, again);
    }
    for (name, id) in refs {
        if let Some(again) = remade.get(&id) {
            git.set_ref(name, *again);
        }
    }
    let texts: BTreeMap<String, String> = remade
        .into_iter()
        .map(|(id, again)| (id.to_string(), again.to_string()))
        .collect();
    let rename = |text: &mut String| {
        if let Some(again) = texts.get(text) {
            text.clone_from(again);
        }
    };
    let pulls = world.hub.issues.values_mut();
    for pull in pulls.filter_map(|issue| issue.pull.as_mut()) {
        rename(&mut pull.head_sha);
        rename(&mut pull.base_sha);
        pull.merge_commit_sha.iter_mut().for_each(rename);
        for review in &mut pull.reviews {
            rename(&mut review.commit_id);
        }
        for comment in &mut pull.review_comments {
            rename(&mut comment.commit_id);
            comment.original_commit_id.iter_mut().for_each(rename);
        }
    }
    for run in &mut world.hub.runs.workflow_runs {
        rename(&mut run.head_sha);
        run.base_sha.iter_mut().for_each(rename);
    }
    let remarks = std::mem::take(&mut world.hub.remarks).into_values();
    world.hub.remarks = remarks
        .map(|mut remarks| {
            rename(&mut remarks.sha);
            (remarks.sha.clone(), remarks)
        })
        .collect();
    Ok(())
}

pub(super) fn names(git: &Git) -> BTreeSet<String> {
    let branches: BTreeMap<&str, ObjectId> = git.refs_below("refs/heads/").collect();
    branches.into_keys().map(str::to_owned).collect()
}
