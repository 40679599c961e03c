//! Branches.

use std::collections::{BTreeMap, BTreeSet};

use super::{SpoilError, Spoiler, Wrong};
use crate::git::{Draft, Git, ObjectId};
use crate::hub::State;
use crate::world::Opened;

impl Spoiler<'_> {
    /// The branches that the solution made or moved, and the others.
    pub(super) fn branches(&self) -> (Vec<String>, Vec<String>) {
        let moved = |name: &String| self.start.git.branch(name) != self.end.git.branch(name);
        names(&self.end.git).into_iter().partition(moved)
    }

    pub(super) fn refs(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some(tip) = self.end.git.branch(branch) else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        self.with(Wrong::ExtraCommit, branch, "a commit more", |world| {
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
        })?;
        if let Some(parent) = self.end.git.commit(tip)?.parents.first().copied() {
            self.with(
                Wrong::MovedBranch,
                branch,
                "back at the commit before",
                |world| {
                    set_tip(world, &name, tip, parent);
                    Ok(())
                },
            )?;
        }
        if branch != self.end.hub.repository.default_branch {
            self.with(Wrong::MissingBranch, branch, "gone", |world| {
                world.git.remove_ref(&name);
                Ok(())
            })?;
        }
        Ok(())
    }

    pub(super) fn stray_branch(&mut self) -> Result<(), SpoilError> {
        let default = self.end.hub.repository.default_branch.clone();
        if let Some(tip) = self.end.git.branch(&default) {
            self.with(Wrong::StrayBranch, "scratch", "added", |world| {
                world.git.set_ref("refs/heads/scratch", tip);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Moves a branch, and with it the open pull requests that come from it.
pub(super) fn set_tip(world: &mut Opened, name: &str, old: ObjectId, new: ObjectId) {
    world.git.set_ref(name, new);
    let (old, open) = (old.to_string(), State::Open);
    for (number, issue) in &mut world.hub.issues {
        if let Some(pull) = &mut issue.pull
            && issue.state == open
            && pull.head_sha == old
        {
            pull.head_sha = new.to_string();
            world.git.set_ref(format!("refs/pull/{number}/head"), new);
        }
    }
}

pub(super) fn names(git: &Git) -> BTreeSet<String> {
    let branches: BTreeMap<&str, ObjectId> = git.refs_below("refs/heads/").collect();
    branches.into_keys().map(str::to_owned).collect()
}
