//! Mutator of github worlds: copies of a solved world with one mutation each, for the certification of verifiers.

mod branches;
mod files;
mod issues;
mod pulls;

use std::path::Path;

use mcpmark_snapshot::{Blobs, Store, Tree};

pub use self::files::Committed;
use crate::git::GitError;
use crate::hub::Issue;
use crate::world::{self, ExportError, Exported, Opened, WorldError, export, export_like};

/// Maximum number of issues and pull requests to mutate among those that the solution created or changed.
const CHANGED: usize = 12;
/// Maximum number of issues and pull requests to mutate among those that the solution did not change.
const KEPT: usize = 6;
/// Maximum number of branches to mutate among those that the solution created or moved.
const MOVED: usize = 6;
/// Maximum number of branches to mutate among those that the solution did not move.
const STILL: usize = 3;
/// Maximum number of files of a branch to mutate, among those that it changed and among the others.
const FILES: usize = 6;
/// Maximum number of branches on which to mutate files that the solution did not change.
const BESIDE: usize = 2;

/// Kind of a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationKind {
    /// A full stop is added to a title.
    Title,
    /// An issue or pull request is open instead of closed or merged, closed instead of open, or closed with another
    /// reason.
    State,
    /// A label is missing or added.
    Labels,
    /// The milestone is missing.
    Milestone,
    /// A comment is missing, edited, added, or on another issue.
    Comment,
    /// A link in a text names another issue, or is missing.
    Link,
    /// The base of a pull request is another branch.
    Base,
    /// The head of a pull request is another branch.
    Head,
    /// A pull request was merged with another method, so that its base has another commit.
    MergeMethod,
    /// An additional issue exists.
    StrayIssue,
    /// A file that the branch changed is missing, or has another path.
    File,
    /// A file that the solution did not change is edited.
    EditInput,
    /// A file that the solution did not change is deleted.
    DeleteInput,
    /// A file that the solution did not change is moved.
    MoveInput,
    /// An additional file is committed.
    StrayFile,
    /// A branch has an additional commit.
    ExtraCommit,
    /// A branch points to the parent of its tip.
    MovedBranch,
    /// A branch is missing.
    MissingBranch,
    /// An additional branch exists.
    StrayBranch,
}

/// World with one mutation.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Kind of the mutation.
    pub kind: MutationKind,
    /// Mutated object: `#12`, a branch, or a branch and a path.
    pub target: String,
    /// Description of the mutation.
    pub description: String,
    /// Tree of the world. Its blobs are in the store.
    pub tree: Tree,
}

/// Error of mutating a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MutationError {
    /// The starting state or the solved state is not a valid world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A commit cannot be read or written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A mutant cannot be stored.
    #[error("cannot store a world: {0}")]
    Export(String),
}

impl From<ExportError> for MutationError {
    fn from(error: ExportError) -> Self {
        Self::Export(error.to_string())
    }
}

/// Sources and destinations of worlds.
#[derive(Clone, Copy)]
pub struct WorldIo<'a> {
    /// Blobs of the starting and the solved world.
    pub blobs: &'a dyn Blobs,
    /// Store for the blobs of the mutants.
    pub store: &'a Store,
    /// Parent directory of copies of repositories.
    pub scratch: &'a Path,
}

/// Returns at most `most` elements, evenly distributed over the slice.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |at| &all[at * all.len() / count])
}

/// Mutator of the world that a solution left.
pub struct Mutator<'a> {
    start: Opened,
    end: Opened,
    /// Export of `end`, whose equal documents the mutants reuse.
    exported: Tree,
    io: WorldIo<'a>,
    mutants: Vec<Mutant>,
}

impl<'a> Mutator<'a> {
    /// Opens the starting world and the solved world.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the two is not a valid world, or if the solved world cannot be exported.
    pub fn new(start: &Tree, end: &Tree, places: WorldIo<'a>) -> Result<Self, MutationError> {
        let open = |tree| world::open(tree, places.blobs, places.scratch, 0);
        let (start, end) = (open(start)?, open(end)?);
        let exported = export(&end.hub, &end.git, &end.work_tree, places.store)?;
        Ok(Self {
            start,
            end,
            exported,
            io: places,
            mutants: Vec::new(),
        })
    }

    /// Mutates what the solution changed in the starting world, and what it left unchanged. The result is
    /// deterministic: the same worlds have the same mutants in the same order.
    ///
    /// # Errors
    ///
    /// Returns an error if a commit cannot be read or written, or if a mutant cannot be stored.
    pub fn mutants(&mut self) -> Result<Vec<Mutant>, MutationError> {
        let (changed, kept) = self.numbers();
        for number in some(&changed, CHANGED).chain(some(&kept, KEPT)) {
            self.texts(*number)?;
            self.marks(*number)?;
            self.comments(*number, &kept)?;
            self.pull(*number)?;
        }
        self.stray_issue()?;
        self.stray_branch()?;
        let (moved, still) = self.branches();
        for branch in some(&moved, MOVED) {
            self.files(branch)?;
        }
        let default = [self.end.hub.repository.default_branch.clone()];
        let beside = if moved.is_empty() { &default } else { &*moved };
        for branch in some(beside, BESIDE) {
            self.beside(branch)?;
        }
        for branch in some(&moved, MOVED).chain(some(&still, STILL)) {
            self.refs(branch)?;
        }
        Ok(std::mem::take(&mut self.mutants))
    }

    /// Exports a copy of the solved world after `act` has changed it.
    fn mutated_tree(
        &self,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<Tree, MutationError> {
        let mut world = Opened {
            hub: self.end.hub.clone(),
            git: self.end.git.fork(),
            work_tree: self.end.work_tree.clone(),
        };
        act(&mut world)?;
        let Opened {
            hub,
            git,
            work_tree,
        } = &world;
        let before = Exported {
            hub: &self.end.hub,
            tree: &self.exported,
        };
        let store = self.io.store;
        Ok(export_like(before, hub, git, work_tree, store)?)
    }

    /// Adds the mutant that `act` makes from a copy of the solved world.
    fn add_mutant(
        &mut self,
        kind: MutationKind,
        place: impl Into<String>,
        what: impl Into<String>,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<(), MutationError> {
        let tree = self.mutated_tree(act)?;
        self.mutants.push(Mutant {
            kind,
            target: place.into(),
            description: what.into(),
            tree,
        });
        Ok(())
    }

    /// Adds a mutant in which `act` changes one issue or pull request.
    fn add_issue_mutant(
        &mut self,
        kind: MutationKind,
        number: u64,
        what: impl Into<String>,
        act: impl FnOnce(&mut Issue),
    ) -> Result<(), MutationError> {
        self.add_mutant(kind, format!("#{number}"), what, |world| {
            if let Some(issue) = world.hub.issues.get_mut(&number) {
                act(issue);
            }
            Ok(())
        })
    }

    /// Returns the numbers of issues and pull requests that the solution created or changed, and those of the others.
    fn numbers(&self) -> (Vec<u64>, Vec<u64>) {
        let all = self.end.hub.issues.iter();
        let changed = |number: &u64, issue: &Issue| {
            let before = self.start.hub.issues.get(number).map(settled);
            before != Some(settled(issue))
        };
        let (changed, kept): (Vec<_>, Vec<_>) =
            all.partition(|(number, issue)| changed(number, issue));
        let numbers = |list: Vec<(&u64, &Issue)>| list.iter().map(|(number, _)| **number).collect();
        (numbers(changed), numbers(kept))
    }

    fn issue(&self, number: u64) -> Issue {
        let issue = self.end.hub.issues.get(&number);
        issue.cloned().unwrap_or_default()
    }
}

/// Copy of an issue without values that change indirectly, for comparison.
fn settled(issue: &Issue) -> Issue {
    let mut issue = issue.clone();
    issue.updated_at = issue.created_at;
    if let Some(pull) = &mut issue.pull {
        pull.base_sha.clear();
    }
    issue
}
