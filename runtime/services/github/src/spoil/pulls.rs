//! Pull requests: where they come from, where they go, and how they were merged.

use super::branches::{names, replace};
use super::{SpoilError, Spoiler, Wrong};
use crate::git::{Draft, ObjectId};
use crate::hub::Pull;

impl Spoiler<'_> {
    pub(super) fn pull(&mut self, number: u64) -> Result<(), SpoilError> {
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
            self.with_issue(Wrong::Base, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.base = base;
                }
            })?;
        }
        if let Some(head) = other(&pull.head) {
            let what = format!("from {head}");
            let tip = self.end.git.branch(&head).map(|id| id.to_string());
            self.with_issue(Wrong::Head, number, what, |it| {
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

    /// A merge instead of a squash or a rebase, a squash instead of a merge. What the solution merged has
    /// another commit on its base, with the files and the message that it had; what was merged before says
    /// so alone, since nobody writes the past anew.
    fn merged_otherwise(&mut self, number: u64, pull: &Pull) -> Result<(), SpoilError> {
        let method = match pull.merge_method.as_deref() {
            Some("merge") => "squash",
            _ => "merge",
        };
        let before = self.start.hub.pull(number);
        let is_new = before.is_none_or(|(_, before)| before.merged_at.is_none());
        let what = format!("merged by {method}");
        self.with(Wrong::MergeMethod, format!("#{number}"), what, |world| {
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
        })
    }
}

fn id<'a>(text: impl Into<Option<&'a str>>) -> Option<ObjectId> {
    ObjectId::from_hex(text.into()?.as_bytes()).ok()
}
