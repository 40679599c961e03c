//! The files of branches.

use std::collections::BTreeSet;

use mcpmark_snapshot::Tree;

use super::branches::set_tip;
use super::{FILES, MOVED, SpoilError, Spoiler, Wrong, some};
use crate::git::{Draft, Edit, EntryKind, Git, GitError, ObjectId};

/// A text that the solution committed.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The branch.
    pub branch: String,
    /// The file.
    pub path: String,
    /// What it was before.
    pub before: Option<String>,
    /// What it is.
    pub text: String,
}

impl Spoiler<'_> {
    /// The texts that the solution committed to the branches that it made or moved.
    ///
    /// # Errors
    ///
    /// When the repository is damaged.
    pub fn committed(&self) -> Result<Vec<Committed>, SpoilError> {
        let git = &self.end.git;
        let mut found = Vec::new();
        let (moved, _) = self.branches();
        for branch in some(&moved, MOVED) {
            let Some((tip, changes)) = self.changed(branch)? else {
                continue;
            };
            for (path, old) in some(&changes, FILES) {
                let Some(entry) = git.entry(git.tree_of(tip)?, path)? else {
                    continue;
                };
                let Ok(text) = String::from_utf8(git.blob(entry.id)?) else {
                    continue;
                };
                let before = old.map(|id| git.blob(id)).transpose()?;
                found.push(Committed {
                    branch: branch.clone(),
                    path: path.clone(),
                    before: before.and_then(|bytes| String::from_utf8(bytes).ok()),
                    text,
                });
            }
        }
        Ok(found)
    }

    /// The world with another text in the last commit of a branch.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn rewritten(&self, file: &Committed, text: &str) -> Result<Tree, SpoilError> {
        let name = format!("refs/heads/{}", file.branch);
        self.made_by(|world| {
            let Some(tip) = world.git.branch(&file.branch) else {
                return Ok(());
            };
            let change = Change::Text(text.as_bytes());
            let id = amend(&mut world.git, tip, &file.path, change)?;
            set_tip(world, &name, tip, id);
            Ok(())
        })
    }

    /// The files that a branch changed, each with something wrong in the last commit.
    pub(super) fn files(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some((tip, changes)) = self.changed(branch)? else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        for (path, _) in some(&changes, FILES) {
            let place = format!("{branch}:{path}");
            let ways = [
                ("not there", Change::Gone),
                ("at another path", Change::Elsewhere),
            ];
            for (what, change) in ways {
                self.with(Wrong::File, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// What a branch has beside what the solution was to commit.
    pub(super) fn beside(&mut self, branch: &str) -> Result<(), SpoilError> {
        let Some((tip, changes)) = self.changed(branch)? else {
            return Ok(());
        };
        let name = format!("refs/heads/{branch}");
        let git = &self.end.git;
        let (mut kept, mut strays) = (Vec::new(), BTreeSet::from(["scratch.txt".to_owned()]));
        for change in git.changed(None, git.tree_of(tip)?)? {
            let is_changed = changes.iter().any(|(path, _)| *path == change.path);
            let Some((mode, id)) = change.new.filter(|(mode, _)| *mode != "160000") else {
                continue;
            };
            if !is_changed && mode != "120000" {
                kept.push((change.path, id));
            } else if let Some((directory, _)) = change.path.rsplit_once('/') {
                strays.insert(format!("{directory}/scratch.txt"));
            }
        }
        let mut kept_files = Vec::new();
        for (path, id) in some(&kept, FILES) {
            let mut bytes = git.blob(*id)?;
            bytes.push(b'\n');
            kept_files.push((path.clone(), bytes));
        }
        for (path, longer) in &kept_files {
            let place = format!("{branch}:{path}");
            let ways = [
                (Wrong::EditInput, "a newline added", Change::Text(longer)),
                (Wrong::DeleteInput, "deleted", Change::Gone),
                (Wrong::MoveInput, "moved", Change::Elsewhere),
            ];
            for (wrong, what, change) in ways {
                self.with(wrong, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        for path in strays.iter().take(FILES) {
            let place = format!("{branch}:{path}");
            self.with(Wrong::StrayFile, place, "added", |world| {
                let stray = Change::Text(b"notes to self\n");
                let id = amend(&mut world.git, tip, path, stray)?;
                set_tip(world, &name, tip, id);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The tip of a branch and the files that it changed, with the blobs that they were before.
    #[allow(clippy::type_complexity, reason = "a pair of what it says")]
    fn changed(
        &self,
        branch: &str,
    ) -> Result<Option<(ObjectId, Vec<(String, Option<ObjectId>)>)>, SpoilError> {
        let git = &self.end.git;
        let Some(tip) = git.branch(branch) else {
            return Ok(None);
        };
        let before = match self.start.git.branch(branch) {
            Some(before) => Some(before),
            None => git.commit(tip)?.parents.first().copied(),
        };
        let before = before.map(|id| git.tree_of(id)).transpose()?;
        let changes = git.changed(before, git.tree_of(tip)?)?;
        let files = changes.into_iter().filter_map(|change| {
            let (mode, _) = change.new?;
            (mode != "160000").then(|| (change.path, change.old.map(|(_, id)| id)))
        });
        Ok(Some((tip, files.collect())))
    }
}

/// What is done to a file.
#[derive(Clone, Copy)]
enum Change<'a> {
    Text(&'a [u8]),
    Gone,
    Elsewhere,
}

/// Writes a commit anew, with another file at a path.
fn amend(
    git: &mut Git,
    tip: ObjectId,
    path: &str,
    change: Change<'_>,
) -> Result<ObjectId, GitError> {
    let commit = git.commit(tip)?;
    let entry = git.entry(commit.tree, path)?;
    let gone = Edit::Remove {
        path: path.to_owned(),
    };
    let edits = match (change, entry) {
        (Change::Text(bytes), entry) => {
            let kind = entry.map_or(EntryKind::File, |entry| entry.kind);
            let id = git.write_blob(bytes)?;
            let path = path.to_owned();
            vec![Edit::Put { path, kind, id }]
        }
        (_, None) => return Ok(tip),
        (Change::Gone, _) => vec![gone],
        (Change::Elsewhere, Some(entry)) => {
            let put = Edit::Put {
                path: format!("{path}.orig"),
                kind: entry.kind,
                id: entry.id,
            };
            vec![gone, put]
        }
    };
    let tree = git.edit_tree(commit.tree, &edits)?;
    git.write_commit(Draft {
        tree,
        parents: commit.parents,
        author: commit.author,
        committer: commit.committer,
        message: format!("{}\n", commit.message),
    })
}
