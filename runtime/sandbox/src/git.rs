//! What stands behind the interface `git`: an engine of the embedder's, which reads the
//! repository of a world out of its tree.

use std::fmt;

use mcpmark_snapshot::Snapshot;

pub use crate::bindings::mcpmark::guest::git::{
    Change, ChangeKind, Commit, Entry, Error, Kind, Reference, Signature, Tag,
};

pub use crate::bindings::mcpmark::guest::git_builder::{
    Change as BuildChange, Error as BuildError, File as BuildFile,
};

/// Opens the repositories of worlds, and makes new ones.
pub trait GitEngine: fmt::Debug + Send + Sync {
    /// Begins the repository of a new world.
    ///
    /// # Errors
    ///
    /// When the host cannot, in words.
    fn create(&self) -> Result<Box<dyn GitBuilder>, String>;

    /// Opens the repository in the tree of a world.
    ///
    /// # Errors
    ///
    /// When the world has none, or one that cannot be read.
    fn open(&self, world: &Snapshot, work: &mut Work) -> Result<Box<dyn GitRepository>, OpenError>;
}

/// Why there is no repository to read.
#[derive(Debug)]
pub enum OpenError {
    /// The world has none: the verifier was made for another one.
    Absent,
    /// It is damaged: the world is to blame, and there is no grade.
    Damaged(String),
    /// The host cannot read it; there is no grade.
    Broken(String),
    /// The guest has no fuel left for it.
    Spent,
}

/// The repository of a world, read-only. The interface `git` of the contract says what each
/// function gives. Whatever grows with the world is counted as [`Work`] before it is done.
#[allow(missing_docs, reason = "documented in the contract")]
pub trait GitRepository {
    fn head(&mut self, work: &mut Work) -> Result<String, GitError>;
    fn references(&mut self, work: &mut Work) -> Result<Vec<Reference>, GitError>;
    fn resolve(&mut self, revision: &str, work: &mut Work) -> Result<String, GitError>;
    fn commit(&mut self, id: &str, work: &mut Work) -> Result<Commit, GitError>;
    fn tag(&mut self, id: &str, work: &mut Work) -> Result<Tag, GitError>;
    fn log(&mut self, walk: &Log<'_>, work: &mut Work) -> Result<Vec<Commit>, GitError>;
    fn merge_base(
        &mut self,
        one: &str,
        other: &str,
        work: &mut Work,
    ) -> Result<Option<String>, GitError>;
    fn stat(&mut self, commit: &str, path: &str, work: &mut Work) -> Result<Entry, GitError>;
    fn walk(&mut self, commit: &str, path: &str, work: &mut Work) -> Result<Vec<Entry>, GitError>;
    /// Bytes of a blob before it is read, so that they can be charged.
    fn blob_size(&mut self, id: &str, work: &mut Work) -> Result<u64, GitError>;
    fn blob(&mut self, id: &str, work: &mut Work) -> Result<Vec<u8>, GitError>;
    fn changes(
        &mut self,
        before: Option<&str>,
        after: &str,
        work: &mut Work,
    ) -> Result<Vec<Change>, GitError>;
}

/// The repository of a new world. The interface `git-builder` of the contract says what each
/// function does. Equal calls make equal files, and whatever grows with what the guest wants is
/// counted as [`Work`] before it is done.
#[allow(missing_docs, reason = "documented in the contract")]
pub trait GitBuilder {
    fn commit(&mut self, commit: NewCommit, work: &mut Work) -> Result<String, CreateError>;
    fn set_reference(
        &mut self,
        name: &str,
        target: &str,
        work: &mut Work,
    ) -> Result<(), CreateError>;
    fn annotate(
        &mut self,
        name: &str,
        target: &str,
        tagger: Signature,
        message: &str,
        work: &mut Work,
    ) -> Result<String, CreateError>;
    fn set_head(&mut self, branch: &str, work: &mut Work) -> Result<(), CreateError>;

    /// Bytes that were written so far, about, also by calls that were refused in the end.
    fn bytes(&self) -> u64;

    /// The files of the repository and of its work tree.
    ///
    /// # Errors
    ///
    /// When the default branch is not there.
    fn finish(self: Box<Self>, work: &mut Work) -> Result<Vec<BuiltFile>, CreateError>;
}

/// A file or an empty directory of a world whose repository was made.
#[derive(Debug, Clone)]
pub struct BuiltFile {
    /// Its path from the root of the world.
    pub path: String,
    /// Its bytes; none for an empty directory.
    pub content: Option<Vec<u8>>,
    /// Whether it is a program.
    pub executable: bool,
}

/// Why a repository is not made as the guest wants it.
#[derive(Debug)]
pub enum CreateError {
    /// What the guest asked for cannot be; the guest is told.
    Refused(BuildError),
    /// The host cannot go on.
    Broken(String),
    /// The guest has no fuel left for it.
    Spent,
}

impl From<BuildError> for CreateError {
    fn from(error: BuildError) -> Self {
        Self::Refused(error)
    }
}

/// A commit to be written.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// Ids of its parents.
    pub parents: Vec<String>,
    /// What it changes against the first of them.
    pub changes: Vec<BuildChange>,
    /// Who wrote it.
    pub author: Signature,
    /// Who committed it.
    pub committer: Signature,
    /// Its message, as written.
    pub message: String,
}

/// Which commits a log lists.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    /// Where it begins.
    pub start: &'a str,
    /// What is reachable from here is left out.
    pub stop: Option<&'a str>,
    /// Only commits that changed this path against their first parent.
    pub path: Option<&'a str>,
    /// The most that are listed.
    pub limit: usize,
}

/// Why a repository gives no answer.
#[derive(Debug)]
pub enum GitError {
    /// What the guest asked for is not there; the guest is told.
    Refused(Error),
    /// The repository is damaged: the world is to blame, and there is no grade.
    Damaged(String),
    /// The host cannot read it; there is no grade.
    Broken(String),
    /// The guest has no fuel left for it.
    Spent,
}

impl From<Error> for GitError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// What the engine does for a guest, which the guest pays: a unit of fuel stands for about an
/// instruction, and what a list holds is counted in bytes while it grows. Only what is the same on
/// every machine may be counted.
#[derive(Debug)]
pub struct Work {
    fuel: Account,
    bytes: Account,
}

#[derive(Debug)]
struct Account {
    used: u64,
    limit: u64,
}

/// More was done than the guest can pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent;

impl Work {
    pub(crate) fn new(fuel: u64, bytes: u64) -> Self {
        let account = |limit| Account { used: 0, limit };
        Self {
            fuel: account(fuel),
            bytes: account(bytes),
        }
    }

    /// Counts work, before it is done.
    ///
    /// # Errors
    ///
    /// When the guest cannot pay it: the engine stops then.
    pub fn spend(&mut self, units: u64) -> Result<(), Spent> {
        self.fuel.take(units)
    }

    /// Counts the bytes of one more element of an answer, so that no answer grows past what may be
    /// handed out.
    ///
    /// # Errors
    ///
    /// When the guest may not have so many: the engine stops then.
    pub fn hand_out(&mut self, bytes: u64) -> Result<(), Spent> {
        self.bytes.take(bytes)
    }

    pub(crate) fn fuel(&self) -> u64 {
        self.fuel.used
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.used
    }
}

impl Account {
    fn take(&mut self, amount: u64) -> Result<(), Spent> {
        self.used = self.used.saturating_add(amount);
        if self.used > self.limit {
            Err(Spent)
        } else {
            Ok(())
        }
    }
}

impl From<Spent> for GitError {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl From<Spent> for OpenError {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl From<Spent> for CreateError {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}
