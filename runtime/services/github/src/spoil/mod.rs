//! Worlds that are almost right: a final state with one thing wrong, for the examination of
//! verifiers.

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

/// Issues and pull requests of the solution that are spoilt in each way.
const CHANGED: usize = 12;
/// Those that it was to leave alone.
const KEPT: usize = 6;
/// Branches of the solution that are spoilt.
const MOVED: usize = 6;
/// Those that it was to leave where they are.
const STILL: usize = 3;
/// Files of a branch that are spoilt, of those that it changed and of the others.
const FILES: usize = 6;
/// Branches on which files are spoilt that the solution was to leave alone.
const BESIDE: usize = 2;

/// What is wrong with a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrong {
    /// A title differs by a character.
    Title,
    /// An issue or pull request is open that should be closed or merged, or closed for another reason.
    State,
    /// A label is missing or too many.
    Labels,
    /// The milestone is missing.
    Milestone,
    /// A comment is missing, or stands on another issue.
    Comment,
    /// A text links to another issue, or to none.
    Link,
    /// A pull request goes into another branch.
    Base,
    /// A pull request comes from another branch.
    Head,
    /// A pull request was merged in another way, so that its base has another commit.
    MergeMethod,
    /// An issue is there that nobody asked for.
    StrayIssue,
    /// A file of a branch is missing, or stands at another path.
    File,
    /// A file that was to stay as it is was edited in a branch of the solution.
    EditInput,
    /// Such a file was deleted.
    DeleteInput,
    /// Such a file was moved.
    MoveInput,
    /// A file was committed that nobody asked for.
    StrayFile,
    /// A branch has a commit more.
    ExtraCommit,
    /// A branch was moved to another commit.
    MovedBranch,
    /// A branch is missing.
    MissingBranch,
    /// A branch is there that nobody asked for.
    StrayBranch,
}

/// A world with one thing wrong.
#[derive(Debug, Clone)]
pub struct Spoilt {
    /// What is wrong.
    pub wrong: Wrong,
    /// What it is wrong with: `#12`, a branch, a branch and a path.
    pub place: String,
    /// What was done to it.
    pub what: String,
    /// The world, with its blobs in the store.
    pub tree: Tree,
}

/// Why worlds cannot be spoilt.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpoilError {
    /// The solved world is none.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A commit cannot be written.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A spoilt world cannot be stored.
    #[error("cannot store a world: {0}")]
    Export(String),
}

impl From<ExportError> for SpoilError {
    fn from(error: ExportError) -> Self {
        Self::Export(error.to_string())
    }
}

/// Where worlds are read from and written to.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The bytes of both worlds.
    pub blobs: &'a dyn Blobs,
    /// Takes the bytes of those that are made.
    pub store: &'a Store,
    /// Copies of repositories lie below it.
    pub scratch: &'a Path,
}

/// At most so many of them, from all over.
fn some<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = all.len().min(most);
    (0..count).map(move |at| &all[at * all.len() / count])
}

/// Spoils the world that a solution left.
pub struct Spoiler<'a> {
    start: Opened,
    end: Opened,
    /// What the latter is when it is written again.
    exported: Tree,
    places: Places<'a>,
    made: Vec<Spoilt>,
}

impl<'a> Spoiler<'a> {
    /// Opens the starting world and the one that a solution left.
    ///
    /// # Errors
    ///
    /// When one of the two is no world.
    pub fn new(start: &Tree, end: &Tree, places: Places<'a>) -> Result<Self, SpoilError> {
        let open = |tree| world::open(tree, places.blobs, places.scratch, 0);
        let (start, end) = (open(start)?, open(end)?);
        let exported = export(&end.hub, &end.git, &end.work_tree, places.store)?;
        Ok(Self {
            start,
            end,
            exported,
            places,
            made: Vec::new(),
        })
    }

    /// Spoils what the solution made of the starting world and what it was to leave alone. The
    /// same worlds give the same ones in the same order.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn spoil(&mut self) -> Result<Vec<Spoilt>, SpoilError> {
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
        Ok(std::mem::take(&mut self.made))
    }

    /// The world with something done to it.
    fn made_by(
        &self,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<Tree, SpoilError> {
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
        let store = self.places.store;
        Ok(export_like(before, hub, git, work_tree, store)?)
    }

    /// Adds the world with something done to it.
    fn with(
        &mut self,
        wrong: Wrong,
        place: impl Into<String>,
        what: impl Into<String>,
        act: impl FnOnce(&mut Opened) -> Result<(), GitError>,
    ) -> Result<(), SpoilError> {
        let tree = self.made_by(act)?;
        self.made.push(Spoilt {
            wrong,
            place: place.into(),
            what: what.into(),
            tree,
        });
        Ok(())
    }

    /// The same for one issue or pull request.
    fn with_issue(
        &mut self,
        wrong: Wrong,
        number: u64,
        what: impl Into<String>,
        act: impl FnOnce(&mut Issue),
    ) -> Result<(), SpoilError> {
        self.with(wrong, format!("#{number}"), what, |world| {
            if let Some(issue) = world.hub.issues.get_mut(&number) {
                act(issue);
            }
            Ok(())
        })
    }

    /// The issues and pull requests that the solution made or changed, and the others.
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

/// An issue without what moves by itself.
fn settled(issue: &Issue) -> Issue {
    let mut issue = issue.clone();
    issue.updated_at = issue.created_at;
    if let Some(pull) = &mut issue.pull {
        pull.base_sha.clear();
    }
    issue
}
