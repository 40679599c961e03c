//! Git engine of the github service for guests: verifiers read repositories, setup guests create them.

use std::path::PathBuf;

use mcpmark_github::archive::{Archive, Cost, Meter as ReadMeter, ReadError};
use mcpmark_github::builder::{self, Builder, Step};
use mcpmark_github::git;
use mcpmark_interfaces::git::{
    BuildChange, BuildError, BuiltFile, Change, ChangeKind, Commit, CreateError, Entry, Error,
    GitBuilder, GitEngine, GitError, GitRepository, Kind, Log, NewCommit, OpenError, Reference,
    Signature, Tag,
};
use mcpmark_sandbox::Meter;
use mcpmark_service::error_chain;
use mcpmark_snapshot::{Directory, Node, Snapshot};

/// Fuel for each byte of a repository that is copied when it is opened.
const BYTE: u64 = 1;
/// Fuel for finding, decompressing and decoding an object, which takes about four microseconds.
const OBJECT: u64 = 5_000;

/// Git engine that reads and creates repositories with the code of the github service.
#[derive(Debug)]
pub(super) struct GitGuests {
    scratch: PathBuf,
}

impl GitGuests {
    /// Creates an engine that keeps copies of open repositories in `scratch`.
    pub(super) fn new(scratch: PathBuf) -> Self {
        Self { scratch }
    }
}

impl GitEngine for GitGuests {
    fn create(&self) -> Result<Box<dyn GitBuilder>, String> {
        match Builder::new(&self.scratch) {
            Ok(builder) => Ok(Box::new(Making(builder))),
            Err(error) => Err(error_chain(&error)),
        }
    }

    fn open(
        &self,
        world: &Snapshot,
        meter: &mut Meter,
    ) -> Result<Box<dyn GitRepository>, OpenError> {
        let dir = Archive::find(&world.tree).ok_or(OpenError::Absent)?;
        meter.charge_fuel(BYTE.saturating_mul(bytes(dir)))?;
        match Archive::open(dir, &*world.blobs, &self.scratch) {
            Ok(archive) => Ok(Box::new(Reading(archive))),
            Err(error) if error.is_infrastructure() => Err(OpenError::Broken(error_chain(&error))),
            Err(error) => Err(OpenError::Damaged(error_chain(&error))),
        }
    }
}

/// Returns the size of all files below a directory, in bytes. The recursion is bounded because the depth of paths in a
/// snapshot is limited.
fn bytes(dir: &Directory) -> u64 {
    let sizes = dir.iter().map(|(_, node)| match node {
        Node::File(file) => file.size,
        Node::Directory(below) => bytes(below),
        Node::Symlink(_) => 0,
    });
    sizes.sum()
}

struct Reading(Archive);

impl Reading {
    /// Runs an operation on the archive. Each object that the operation reads is charged to the meter.
    fn ask<T>(
        &self,
        meter: &mut Meter,
        ask: impl FnOnce(&Archive, ReadMeter<'_>) -> Result<T, ReadError>,
    ) -> Result<T, GitError> {
        ask(&self.0, &mut |cost| pay(meter, cost)).map_err(|error| match error {
            ReadError::NotFound => Error::NotFound.into(),
            ReadError::OtherKind(kind) => Error::OtherKind(kind.to_owned()).into(),
            ReadError::Invalid(rule) => Error::Invalid(rule).into(),
            ReadError::OverBudget => GitError::Exhausted,
            ReadError::Git(error) if !error.is_infrastructure() => {
                GitError::Damaged(error_chain(&error))
            }
            error => GitError::Broken(error_chain(&error)),
        })
    }
}

/// Charges the cost of an operation before it runs. Returns false if the budget of the guest is exhausted.
fn pay(meter: &mut Meter, cost: Cost) -> bool {
    let paid = match cost {
        Cost::Objects(objects) => meter.charge_fuel(OBJECT.saturating_mul(objects)),
        Cost::Bytes(bytes) => meter.charge_bytes(bytes),
    };
    paid.is_ok()
}

impl GitRepository for Reading {
    fn head(&mut self, _meter: &mut Meter) -> Result<String, GitError> {
        Ok(self.0.head().to_owned())
    }

    fn references(&mut self, meter: &mut Meter) -> Result<Vec<Reference>, GitError> {
        let references = self.ask(meter, Archive::references)?;
        let references = references.into_iter().map(|reference| Reference {
            name: reference.name,
            target: reference.target.to_string(),
            commit: reference.commit.map(|id| id.to_string()),
        });
        Ok(references.collect())
    }

    fn resolve(&mut self, revision: &str, meter: &mut Meter) -> Result<String, GitError> {
        let id = self.ask(meter, |git, meter| git.resolve(revision, meter))?;
        Ok(id.to_string())
    }

    fn commit(&mut self, id: &str, meter: &mut Meter) -> Result<Commit, GitError> {
        self.ask(meter, |git, meter| git.commit(id, meter))
            .map(told)
    }

    fn tag(&mut self, id: &str, meter: &mut Meter) -> Result<Tag, GitError> {
        let tag = self.ask(meter, |git, meter| git.tag(id, meter))?;
        Ok(Tag {
            id: tag.id.to_string(),
            name: tag.name,
            target: tag.target.to_string(),
            tagger: tag.tagger.map(signature),
            message: tag.message,
        })
    }

    fn log(&mut self, log: &Log<'_>, meter: &mut Meter) -> Result<Vec<Commit>, GitError> {
        let commits = self.ask(meter, |git, meter| {
            git.log(log.start, log.stop, log.path, log.limit, meter)
        })?;
        Ok(commits.into_iter().map(told).collect())
    }

    fn merge_base(
        &mut self,
        one: &str,
        other: &str,
        meter: &mut Meter,
    ) -> Result<Option<String>, GitError> {
        let id = self.ask(meter, |git, meter| git.merge_base(one, other, meter))?;
        Ok(id.map(|id| id.to_string()))
    }

    fn stat(&mut self, commit: &str, path: &str, meter: &mut Meter) -> Result<Entry, GitError> {
        self.ask(meter, |git, meter| git.stat(commit, path, meter))
            .map(entry)
    }

    fn walk(
        &mut self,
        commit: &str,
        path: &str,
        meter: &mut Meter,
    ) -> Result<Vec<Entry>, GitError> {
        let entries = self.ask(meter, |git, meter| git.walk(commit, path, meter))?;
        Ok(entries.into_iter().map(entry).collect())
    }

    fn blob_size(&mut self, id: &str, meter: &mut Meter) -> Result<u64, GitError> {
        self.ask(meter, |git, meter| git.blob_size(id, meter))
    }

    fn blob(&mut self, id: &str, meter: &mut Meter) -> Result<Vec<u8>, GitError> {
        self.ask(meter, |git, meter| git.blob(id, meter))
    }

    fn changes(
        &mut self,
        before: Option<&str>,
        after: &str,
        meter: &mut Meter,
    ) -> Result<Vec<Change>, GitError> {
        let changes = self.ask(meter, |git, meter| git.changes(before, after, meter))?;
        let changes = changes.into_iter().map(|change| Change {
            path: change.path,
            kind: match change.status {
                git::Status::Added => ChangeKind::Added,
                git::Status::Removed => ChangeKind::Removed,
                git::Status::Modified => ChangeKind::Modified,
                git::Status::Renamed => ChangeKind::Renamed,
            },
            previous: change.previous,
            before: change.old.map(|(_, id)| id.to_string()),
            after: change.new.map(|(_, id)| id.to_string()),
        });
        Ok(changes.collect())
    }
}

fn told(commit: git::Commit) -> Commit {
    Commit {
        id: commit.id.to_string(),
        tree: commit.tree.to_string(),
        parents: commit.parents.iter().map(ToString::to_string).collect(),
        author: signature(commit.author),
        committer: signature(commit.committer),
        message: commit.message,
    }
}

fn signature(identity: git::Identity) -> Signature {
    Signature {
        name: identity.name,
        email: identity.email,
        time: identity.seconds,
        offset: identity.offset / 60,
    }
}

fn entry((entry, size): (git::Entry, u64)) -> Entry {
    Entry {
        path: entry.path,
        kind: match entry.kind {
            git::EntryKind::Directory => Kind::Directory,
            git::EntryKind::File => Kind::File,
            git::EntryKind::Executable => Kind::Executable,
            git::EntryKind::Symlink => Kind::Symlink,
            git::EntryKind::Submodule => Kind::Submodule,
        },
        id: entry.id.to_string(),
        size,
    }
}

struct Making(Builder);

impl GitBuilder for Making {
    fn commit(&mut self, commit: NewCommit, meter: &mut Meter) -> Result<String, CreateError> {
        let steps = commit.changes.into_iter().map(|change| match change {
            BuildChange::Write(file) => Step::Write {
                path: file.path,
                content: file.content,
                executable: file.executable,
            },
            BuildChange::Remove(path) => Step::Remove(path),
        });
        self.0
            .commit(
                &commit.parents,
                steps.collect(),
                &own(commit.author),
                &own(commit.committer),
                &commit.message,
                &mut |cost| pay(meter, cost),
            )
            .map_err(not_built)
    }

    fn set_reference(
        &mut self,
        name: &str,
        target: &str,
        meter: &mut Meter,
    ) -> Result<(), CreateError> {
        self.0
            .set_reference(name, target, &mut |cost| pay(meter, cost))
            .map_err(not_built)
    }

    fn annotate(
        &mut self,
        name: &str,
        target: &str,
        tagger: Signature,
        message: &str,
        meter: &mut Meter,
    ) -> Result<String, CreateError> {
        let tagger = own(tagger);
        self.0
            .annotate(name, target, &tagger, message, &mut |cost| pay(meter, cost))
            .map_err(not_built)
    }

    fn set_head(&mut self, branch: &str, meter: &mut Meter) -> Result<(), CreateError> {
        meter.charge_fuel(OBJECT)?;
        self.0.set_head(branch).map_err(not_built)
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn finish(self: Box<Self>, meter: &mut Meter) -> Result<Vec<BuiltFile>, CreateError> {
        let files = self.0.finish(&mut |cost| pay(meter, cost));
        let files = files.map_err(not_built)?;
        let files = files.into_iter().map(|file| BuiltFile {
            path: file.path,
            content: file.content,
            executable: file.executable,
        });
        Ok(files.collect())
    }
}

fn own(signature: Signature) -> builder::Signature {
    builder::Signature {
        name: signature.name,
        email: signature.email,
        time: signature.time,
        offset: signature.offset,
    }
}

fn not_built(error: builder::BuildError) -> CreateError {
    match error {
        builder::BuildError::Invalid(rule) => BuildError::Invalid(rule).into(),
        builder::BuildError::NotFound(what) => BuildError::NotFound(what).into(),
        builder::BuildError::OverBudget => CreateError::Exhausted,
        error => CreateError::Broken(error_chain(&error)),
    }
}
