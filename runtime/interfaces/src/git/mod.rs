//! The interfaces `git` and `git-builder`: a git engine reads the repository in a world's tree, or builds the
//! repository of a new world.

mod builder;
mod reader;

use std::fmt;
use std::sync::Arc;

use mcpmark_sandbox::wasmtime::component::HasSelf;
use mcpmark_sandbox::{Exhausted, GradeData, Interface, Meter, SetupHost, VerifierHost};
use mcpmark_snapshot::Snapshot;

pub use crate::bindings::mcpmark::guest::git::{
    Change, ChangeKind, Commit, Entry, Error, Kind, Reference, Signature, Tag,
};

pub use crate::bindings::mcpmark::guest::git_builder::{
    Change as BuildChange, Error as BuildError, File as BuildFile,
};

/// Git engine in the data of a sandbox's runs.
#[derive(Debug)]
struct Engine(Arc<dyn GitEngine>);

/// Returns the interface `git` for verifiers, and `git-builder` for setup guests.
pub fn interfaces() -> [Interface; 2] {
    [reading(), building()]
}

/// Adds the engine that implements [`interfaces`] to the data of grades.
#[must_use]
pub fn with_engine(data: GradeData, engine: Arc<dyn GitEngine>) -> GradeData {
    data.with(Engine(engine))
}

/// Returns the interface `git`.
fn reading() -> Interface {
    Interface::new(
        "mcpmark:guest/git@0.1.0",
        "read the git repository of the world",
        |linker| {
            crate::bindings::mcpmark::guest::git::add_to_linker::<_, HasSelf<VerifierHost>>(
                linker,
                |host| host,
            )
        },
    )
    .of_contract()
}

/// Returns the interface `git-builder`.
fn building() -> Interface {
    Interface::for_setup(
        "mcpmark:guest/git-builder@0.1.0",
        "write the git repository of a new world",
        |linker| {
            crate::bindings::mcpmark::guest::git_builder::add_to_linker::<_, HasSelf<SetupHost>>(
                linker,
                |host| host,
            )
        },
    )
    .of_contract()
}

/// Git implementation that opens repositories of worlds and builds new ones.
pub trait GitEngine: fmt::Debug + Send + Sync {
    /// Starts the repository of a new world.
    ///
    /// # Errors
    ///
    /// Returns a message if the host cannot start one.
    fn create(&self) -> Result<Box<dyn GitBuilder>, String>;

    /// Opens the repository in the tree of a world.
    ///
    /// # Errors
    ///
    /// Returns an error if the world has no repository, if it cannot be read, or if the fuel of the guest is used up.
    fn open(
        &self,
        world: &Snapshot,
        meter: &mut Meter,
    ) -> Result<Box<dyn GitRepository>, OpenError>;
}

/// Errors of opening a repository.
#[derive(Debug)]
pub enum OpenError {
    /// The world has no repository, so the verifier belongs to another world.
    Absent,
    /// The repository is damaged. The run ends with a world error, which is attributed to the agent if only the final
    /// state is damaged.
    Damaged(String),
    /// The host cannot read the repository, so there is no grade.
    Broken(String),
    /// The fuel of the guest is used up.
    Exhausted,
}

/// Read-only repository of a world. The interface `git` of the contract documents each function. All work and data that
/// grow with the world are charged to the [`Meter`] before the work is done.
#[allow(missing_docs, reason = "documented in the contract")]
pub trait GitRepository {
    fn head(&mut self, meter: &mut Meter) -> Result<String, GitError>;
    fn references(&mut self, meter: &mut Meter) -> Result<Vec<Reference>, GitError>;
    fn resolve(&mut self, revision: &str, meter: &mut Meter) -> Result<String, GitError>;
    fn commit(&mut self, id: &str, meter: &mut Meter) -> Result<Commit, GitError>;
    fn tag(&mut self, id: &str, meter: &mut Meter) -> Result<Tag, GitError>;
    fn log(&mut self, walk: &Log<'_>, meter: &mut Meter) -> Result<Vec<Commit>, GitError>;
    fn merge_base(
        &mut self,
        one: &str,
        other: &str,
        meter: &mut Meter,
    ) -> Result<Option<String>, GitError>;
    fn stat(&mut self, commit: &str, path: &str, meter: &mut Meter) -> Result<Entry, GitError>;
    fn walk(&mut self, commit: &str, path: &str, meter: &mut Meter)
    -> Result<Vec<Entry>, GitError>;
    /// Returns the size of a blob in bytes without reading it, so that it can be charged first.
    fn blob_size(&mut self, id: &str, meter: &mut Meter) -> Result<u64, GitError>;
    fn blob(&mut self, id: &str, meter: &mut Meter) -> Result<Vec<u8>, GitError>;
    fn changes(
        &mut self,
        before: Option<&str>,
        after: &str,
        meter: &mut Meter,
    ) -> Result<Vec<Change>, GitError>;
}

/// Repository of a new world. The interface `git-builder` of the contract documents each function. Equal calls create
/// equal files. All work that grows with the guest's input is charged to the [`Meter`] before it is done.
#[allow(missing_docs, reason = "documented in the contract")]
pub trait GitBuilder {
    fn commit(&mut self, commit: NewCommit, meter: &mut Meter) -> Result<String, CreateError>;
    fn set_reference(
        &mut self,
        name: &str,
        target: &str,
        meter: &mut Meter,
    ) -> Result<(), CreateError>;
    fn annotate(
        &mut self,
        name: &str,
        target: &str,
        tagger: Signature,
        message: &str,
        meter: &mut Meter,
    ) -> Result<String, CreateError>;
    fn set_head(&mut self, branch: &str, meter: &mut Meter) -> Result<(), CreateError>;

    /// Returns the approximate number of bytes written so far, including those of refused calls.
    fn bytes(&self) -> u64;

    /// Returns the files of the repository and of its work tree.
    ///
    /// # Errors
    ///
    /// Returns an error if the default branch does not exist, or if the fuel of the guest is used up.
    fn finish(self: Box<Self>, meter: &mut Meter) -> Result<Vec<BuiltFile>, CreateError>;
}

/// File or empty directory of a built repository.
#[derive(Debug, Clone)]
pub struct BuiltFile {
    /// Path from the root of the world.
    pub path: String,
    /// Content of a file; none for an empty directory.
    pub content: Option<Vec<u8>>,
    /// True if the file is executable.
    pub executable: bool,
}

/// Errors of building a repository.
#[derive(Debug)]
pub enum CreateError {
    /// The request is invalid. The guest gets this error.
    Refused(BuildError),
    /// The host failed.
    Broken(String),
    /// The fuel of the guest is used up.
    Exhausted,
}

impl From<BuildError> for CreateError {
    fn from(error: BuildError) -> Self {
        Self::Refused(error)
    }
}

/// Commit to be written.
#[derive(Debug, Clone)]
pub struct NewCommit {
    /// Ids of the parents.
    pub parents: Vec<String>,
    /// Changes against the first parent, or against an empty tree.
    pub changes: Vec<BuildChange>,
    /// Author of the commit.
    pub author: Signature,
    /// Committer of the commit.
    pub committer: Signature,
    /// Message of the commit, as written.
    pub message: String,
}

/// Range and filter of a log.
#[derive(Debug, Clone, Copy)]
pub struct Log<'a> {
    /// Id of the commit at which the log starts.
    pub start: &'a str,
    /// Id of a commit. Commits that are reachable from it are left out.
    pub stop: Option<&'a str>,
    /// Path of a file or directory. Only commits that changed it against their first parent are listed.
    pub path: Option<&'a str>,
    /// Maximum number of listed commits.
    pub limit: usize,
}

/// Errors of reading a repository.
#[derive(Debug)]
pub enum GitError {
    /// The requested object does not exist or is invalid. The guest gets this error.
    Refused(Error),
    /// The repository is damaged. The run ends with a world error, which is attributed to the agent if only the final
    /// state is damaged.
    Damaged(String),
    /// The host cannot read the repository, so there is no grade.
    Broken(String),
    /// The fuel of the guest is used up.
    Exhausted,
}

impl From<Error> for GitError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<Exhausted> for GitError {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl From<Exhausted> for OpenError {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl From<Exhausted> for CreateError {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_sandbox::inspect;

    use super::*;

    #[test]
    fn guests_that_import_them_are_told_what_they_can() {
        for (export, import, can) in [
            (
                "verify",
                "git",
                "can read the git repository of the world; nothing else",
            ),
            (
                "setup",
                "git-builder",
                "can write the git repository of a new world; nothing else",
            ),
            (
                "setup",
                "git",
                "can compute; asks for one thing that it is not given",
            ),
        ] {
            let text = format!(
                r#"(component (import "mcpmark:guest/{import}@0.1.0" (instance))
                    (core module $m (func (export "f")))
                    (core instance $i (instantiate $m))
                    (func $f (canon lift (core func $i "f")))
                    (export "{export}" (func $f)))"#
            );
            let bytes = wat::parse_str(text).unwrap();
            let inspection = inspect(&bytes, &interfaces()).unwrap();
            assert_eq!(inspection.summary(), can, "{export} imports {import}");
        }
    }
}
