//! Mutations of files in branches.

use std::collections::BTreeSet;

use mcpmark_snapshot::Tree;

use super::branches::set_tip;
use super::{FILES, MOVED, MutationError, MutationKind, Mutator, some};
use crate::git::{Draft, Edit, EntryKind, Git, GitError, ObjectId};

/// Text file that the solution committed.
#[derive(Debug, Clone)]
pub struct Committed {
    /// Name of the branch.
    pub branch: String,
    /// Path of the file.
    pub path: String,
    /// Text in the starting state, if the file existed and was UTF-8.
    pub before: Option<String>,
    /// Text in the solved state.
    pub text: String,
}

impl Mutator<'_> {
    /// Returns a sample of the text files that the solution committed to branches that it created or moved.
    ///
    /// # Errors
    ///
    /// Returns an error if the repository is damaged.
    pub fn committed(&self) -> Result<Vec<Committed>, MutationError> {
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

    /// Exports the solved world with another text of a file, which replaces the last commit of the branch.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit cannot be written or the world cannot be stored.
    pub fn rewritten(&self, file: &Committed, text: &str) -> Result<Tree, MutationError> {
        let name = format!("refs/heads/{}", file.branch);
        self.mutated_tree(|world| {
            let Some(tip) = world.git.branch(&file.branch) else {
                return Ok(());
            };
            let change = Change::Text(text.as_bytes());
            let id = amend(&mut world.git, tip, &file.path, change)?;
            set_tip(world, &name, tip, id);
            Ok(())
        })
    }

    /// Mutates the files that a branch changed, by amending its last commit.
    pub(super) fn files(&mut self, branch: &str) -> Result<(), MutationError> {
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
                self.add_mutant(MutationKind::File, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Mutates files that a branch did not change, and adds files to it.
    pub(super) fn beside(&mut self, branch: &str) -> Result<(), MutationError> {
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
                (
                    MutationKind::EditInput,
                    "a newline added",
                    Change::Text(longer),
                ),
                (MutationKind::DeleteInput, "deleted", Change::Gone),
                (MutationKind::MoveInput, "moved", Change::Elsewhere),
            ];
            for (kind, what, change) in ways {
                self.add_mutant(kind, place.clone(), what, |world| {
                    let id = amend(&mut world.git, tip, path, change)?;
                    set_tip(world, &name, tip, id);
                    Ok(())
                })?;
            }
        }
        for path in strays.iter().take(FILES) {
            let place = format!("{branch}:{path}");
            self.add_mutant(MutationKind::StrayFile, place, "added", |world| {
                let stray = Change::Text(b"notes to self\n");
                let id = amend(&mut world.git, tip, path, stray)?;
                set_tip(world, &name, tip, id);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns the tip of a branch and the files that it changed, with their previous blobs.
    #[allow(clippy::type_complexity, reason = "a pair of what it says")]
    fn changed(
        &self,
        branch: &str,
    ) -> Result<Option<(ObjectId, Vec<(String, Option<ObjectId>)>)>, MutationError> {
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

/// Change to one file.
#[derive(Clone, Copy)]
enum Change<'a> {
    Text(&'a [u8]),
    Gone,
    Elsewhere,
}

/// Writes a copy of a commit in which one file is changed.
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
