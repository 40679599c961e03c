//! Mutations of pull requests: head, base and merge method.

use super::branches::{names, replace};
use super::{MutationError, MutationKind, Mutator};
use crate::git::{Draft, ObjectId};
use crate::hub::Pull;

impl Mutator<'_> {
    pub(super) fn pull(&mut self, number: u64) -> Result<(), MutationError> {
        let Some(pull) = self.issue(number).pull else {
            return Ok(());
        };
        let branches: Vec<String> = names(&self.end.git).into_iter().collect();
        let other = |name: &str| {
            let fits = |branch: &&String| *branch != name && **branch != pull.base;
            branches.iter().find(fits).cloned()
        };
        if let Some(base) = other(&pull.head) {
            let what = format!("into {base}");
            self.add_issue_mutant(MutationKind::Base, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.base = base;
                }
            })?;
        }
        if let Some(head) = other(&pull.head) {
            let what = format!("from {head}");
            let tip = self.end.git.branch(&head).map(|id| id.to_string());
            self.add_issue_mutant(MutationKind::Head, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.head = head;
                    pull.head_sha = tip.unwrap_or_default();
                }
            })?;
        }
        if pull.merged_at.is_some() {
            self.merged_otherwise(number, &pull)?;
        }
        Ok(())
    }

    /// Changes the merge method: a squash or a rebase becomes a merge, a merge becomes a squash. If the solution merged
    /// the pull request, the merge commit is replaced by one with other parents, the same tree and the same message. If
    /// it was merged in the starting state, only `merge_method` changes, because an agent does not rewrite earlier
    /// history.
    fn merged_otherwise(&mut self, number: u64, pull: &Pull) -> Result<(), MutationError> {
        let method = match pull.merge_method.as_deref() {
            Some("merge") => "squash",
            _ => "merge",
        };
        let before = self.start.hub.pull(number);
        let is_new = before.is_none_or(|(_, before)| before.merged_at.is_none());
        let what = format!("merged by {method}");
        self.add_mutant(
            MutationKind::MergeMethod,
            format!("#{number}"),
            what,
            |world| {
                if let Some(issue) = world.hub.issues.get_mut(&number)
                    && let Some(pull) = &mut issue.pull
                {
                    pull.merge_method = Some(method.to_owned());
                }
                let (Some(old), Some(head)) =
                    (id(pull.merge_commit_sha.as_deref()), id(&*pull.head_sha))
                else {
                    return Ok(());
                };
                let commit = world.git.commit(old)?;
                let Some(base) = commit.parents.first().copied().filter(|_| is_new) else {
                    return Ok(());
                };
                let new = world.git.write_commit(Draft {
                    tree: commit.tree,
                    parents: match method {
                        "merge" => vec![base, head],
                        _ => vec![base],
                    },
                    author: commit.author,
                    committer: commit.committer,
                    message: format!("{}\n", commit.message),
                })?;
                replace(world, old, new)
            },
        )
    }
}

fn id<'a>(text: impl Into<Option<&'a str>>) -> Option<ObjectId> {
    ObjectId::from_hex(text.into()?.as_bytes()).ok()
}
