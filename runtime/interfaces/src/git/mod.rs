//! The interfaces `git` and `git-builder`: an engine reads the repository of a world out of its tree, and makes the
//! repository of a new one.

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

/// The engine of a sandbox, as its runs get it.
#[derive(Debug)]
struct Engine(Arc<dyn GitEngine>);

/// `git` for verifiers, and `git-builder` for setup guests.
pub fn interfaces() -> [Interface; 2] {
    [reading(), building()]
}

/// The data of grades with the engine that answers [`interfaces`].
#[must_use]
pub fn with_engine(data: GradeData, engine: Arc<dyn GitEngine>) -> GradeData {
    data.with(Engine(engine))
}

/// The interface `git`.
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

/// The interface `git-builder`.
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
    fn open(
        &self,
        world: &Snapshot,
        meter: &mut Meter,
    ) -> Result<Box<dyn GitRepository>, OpenError>;
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
    Exhausted,
}

/// The repository of a world, read-only. The interface `git` of the contract says what each
/// function gives. Whatever grows with the world is charged to the [`Meter`] before it is done.
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
    /// Bytes of a blob before it is read, so that they can be charged.
    fn blob_size(&mut self, id: &str, meter: &mut Meter) -> Result<u64, GitError>;
    fn blob(&mut self, id: &str, meter: &mut Meter) -> Result<Vec<u8>, GitError>;
    fn changes(
        &mut self,
        before: Option<&str>,
        after: &str,
        meter: &mut Meter,
    ) -> Result<Vec<Change>, GitError>;
}

/// The repository of a new world. The interface `git-builder` of the contract says what each
/// function does. Equal calls make equal files, and whatever grows with what the guest wants is
/// charged to the [`Meter`] before it is done.
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

    /// Bytes that were written so far, about, also by calls that were refused in the end.
    fn bytes(&self) -> u64;

    /// The files of the repository and of its work tree.
    ///
    /// # Errors
    ///
    /// When the default branch is not there.
    fn finish(self: Box<Self>, meter: &mut Meter) -> Result<Vec<BuiltFile>, CreateError>;
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
    Exhausted,
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
            assert_eq!(inspection.in_words(), can, "{export} imports {import}");
        }
    }
}
