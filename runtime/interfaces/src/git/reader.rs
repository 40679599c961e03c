//! The interface `git`: reads the repositories of both states. Each answer is charged before the guest gets it.

use std::sync::Arc;

use mcpmark_sandbox::contract::state::Tree;
use mcpmark_sandbox::{FaultKind, Meter, VerifierHost, wasmtime};

use super::{Engine, GitError, GitRepository, Log, OpenError};
use crate::bindings::mcpmark::guest::git;

/// Cost of a record apart from its texts, in charged bytes.
const RECORD_COST: u64 = 128;
/// Maximum size of a blob that is returned, in bytes.
const BLOB_LIMIT: u64 = 8 << 20;

/// Repositories of both states of a grade. Each is opened on first use.
#[derive(Default)]
pub(super) struct Repositories {
    start: Option<Box<dyn GitRepository>>,
    end: Option<Box<dyn GitRepository>>,
}

impl Repositories {
    fn of(&mut self, tree: Tree) -> &mut Option<Box<dyn GitRepository>> {
        match tree {
            Tree::Start => &mut self.start,
            Tree::Final => &mut self.end,
        }
    }
}

type Answer<T> = wasmtime::Result<Result<T, git::Error>>;

/// Opens the repository of a state, unless it is open.
fn open(host: &mut VerifierHost, tree: Tree) -> wasmtime::Result<()> {
    if host.state::<Repositories>().of(tree).is_some() {
        return Ok(());
    }
    let engine: Arc<Engine> = host.data()?;
    let mut meter = host.meter();
    let repository = match engine.0.open(host.snapshot(tree), &mut meter) {
        Ok(repository) => repository,
        Err(OpenError::Exhausted) => return Err(host.exhausted(&meter)),
        Err(OpenError::Damaged(message)) => return Err(VerifierHost::world_error(message)),
        Err(OpenError::Broken(message)) => return Err(VerifierHost::host_error(message)),
        Err(OpenError::Absent) => {
            let message = "the verifier reads a git repository, but this world has none";
            return Err(VerifierHost::fault(FaultKind::Link, message));
        }
    };
    host.settle(&meter)?;
    *host.state::<Repositories>().of(tree) = Some(repository);
    Ok(())
}

/// Calls the repository of a state, and charges the request, the work and the answer.
fn ask<T>(
    host: &mut VerifierHost,
    tree: Tree,
    request: u64,
    ask: impl FnOnce(&mut dyn GitRepository, &mut Meter) -> Result<T, GitError>,
    cost: impl FnOnce(&T) -> u64,
) -> Answer<T> {
    host.charge(request)?;
    open(host, tree)?;
    let mut meter = host.meter();
    let Some(repository) = host.state::<Repositories>().of(tree) else {
        return Err(VerifierHost::host_error("the repository is not open"));
    };
    let answer = match ask(repository.as_mut(), &mut meter) {
        Ok(answer) => Ok(answer),
        Err(GitError::Refused(error)) => Err(error),
        Err(GitError::Exhausted) => return Err(host.exhausted(&meter)),
        Err(GitError::Damaged(message)) => return Err(VerifierHost::world_error(message)),
        Err(GitError::Broken(message)) => return Err(VerifierHost::host_error(message)),
    };
    host.settle(&meter)?;
    if let Ok(answer) = &answer {
        host.charge_bytes(cost(answer))?;
    }
    Ok(answer)
}

fn length(text: &str) -> u64 {
    text.len() as u64
}

fn optional(text: Option<&String>) -> u64 {
    text.map_or(0, |text| length(text))
}

fn signature_cost(signature: &git::Signature) -> u64 {
    length(&signature.name) + length(&signature.email)
}

fn commit_cost(commit: &git::Commit) -> u64 {
    let parents: u64 = commit.parents.iter().map(|parent| length(parent)).sum();
    RECORD_COST
        + parents
        + signature_cost(&commit.author)
        + signature_cost(&commit.committer)
        + length(&commit.message)
}

fn entry_cost(entry: &git::Entry) -> u64 {
    RECORD_COST + length(&entry.path)
}

fn words(error: git::Error) -> String {
    match error {
        git::Error::NotFound => "an object that it refers to does not exist".to_owned(),
        git::Error::OtherKind(kind) => format!("an object that it refers to is a {kind}"),
        git::Error::Invalid(rule) => rule,
    }
}

/// Turns errors into a damaged world, for calls whose arguments cannot be wrong.
fn or_world_error<T>(answer: Answer<T>) -> wasmtime::Result<T> {
    answer?.map_err(|error| {
        VerifierHost::world_error(format!("the repository of the world: {}", words(error)))
    })
}

impl git::Host for VerifierHost {
    fn head(&mut self, tree: Tree) -> wasmtime::Result<String> {
        or_world_error(ask(
            self,
            tree,
            0,
            |git, meter| git.head(meter),
            |name| length(name),
        ))
    }

    fn references(&mut self, tree: Tree) -> wasmtime::Result<Vec<git::Reference>> {
        let cost = |references: &Vec<git::Reference>| {
            let costs = references.iter().map(|it| RECORD_COST + length(&it.name));
            costs.sum()
        };
        or_world_error(ask(self, tree, 0, |git, meter| git.references(meter), cost))
    }

    fn resolve(&mut self, tree: Tree, revision: String) -> Answer<String> {
        let read = |git: &mut dyn GitRepository, meter: &mut Meter| git.resolve(&revision, meter);
        ask(self, tree, length(&revision), read, |id| length(id))
    }

    fn read_commit(&mut self, tree: Tree, id: String) -> Answer<git::Commit> {
        let read = |git: &mut dyn GitRepository, meter: &mut Meter| git.commit(&id, meter);
        ask(self, tree, length(&id), read, commit_cost)
    }

    fn read_tag(&mut self, tree: Tree, id: String) -> Answer<git::Tag> {
        let read = |git: &mut dyn GitRepository, meter: &mut Meter| git.tag(&id, meter);
        ask(self, tree, length(&id), read, |tag| {
            let tagger = tag.tagger.as_ref().map_or(0, signature_cost);
            RECORD_COST + length(&tag.name) + tagger + length(&tag.message)
        })
    }

    fn log(
        &mut self,
        tree: Tree,
        start: String,
        stop: Option<String>,
        path: Option<String>,
        limit: u32,
    ) -> Answer<Vec<git::Commit>> {
        let request = length(&start) + optional(stop.as_ref()) + optional(path.as_ref());
        let log = Log {
            start: &start,
            stop: stop.as_deref(),
            path: path.as_deref(),
            limit: limit as usize,
        };
        ask(
            self,
            tree,
            request,
            |git, meter| git.log(&log, meter),
            |commits| commits.iter().map(commit_cost).sum(),
        )
    }

    fn merge_base(&mut self, tree: Tree, one: String, other: String) -> Answer<Option<String>> {
        ask(
            self,
            tree,
            length(&one) + length(&other),
            |git, meter| git.merge_base(&one, &other, meter),
            |id| optional(id.as_ref()),
        )
    }

    fn stat(&mut self, tree: Tree, commit: String, path: String) -> Answer<git::Entry> {
        ask(
            self,
            tree,
            length(&commit) + length(&path),
            |git, meter| git.stat(&commit, &path, meter),
            entry_cost,
        )
    }

    fn walk(&mut self, tree: Tree, commit: String, path: String) -> Answer<Vec<git::Entry>> {
        ask(
            self,
            tree,
            length(&commit) + length(&path),
            |git, meter| git.walk(&commit, &path, meter),
            |entries| entries.iter().map(entry_cost).sum(),
        )
    }

    fn read_blob(&mut self, tree: Tree, id: String) -> Answer<Vec<u8>> {
        let read = |git: &mut dyn GitRepository, meter: &mut Meter| git.blob_size(&id, meter);
        // A refused blob is not charged.
        let cost = |size: &u64| if *size > BLOB_LIMIT { 0 } else { *size };
        let size = match ask(self, tree, length(&id), read, cost)? {
            Ok(size) if size > BLOB_LIMIT => {
                let rule = format!("the blob has {size} bytes, more than {BLOB_LIMIT} at once");
                return Ok(Err(git::Error::Invalid(rule)));
            }
            Ok(size) => size,
            Err(error) => return Ok(Err(error)),
        };
        let read = |git: &mut dyn GitRepository, meter: &mut Meter| git.blob(&id, meter);
        let answer = ask(self, tree, 0, read, |_| 0)?;
        if answer
            .as_ref()
            .is_ok_and(|bytes| bytes.len() as u64 != size)
        {
            return Err(VerifierHost::world_error(format!(
                "blob {id} does not have the size that it states"
            )));
        }
        Ok(answer)
    }

    fn changes(
        &mut self,
        tree: Tree,
        before: Option<String>,
        after: String,
    ) -> Answer<Vec<git::Change>> {
        ask(
            self,
            tree,
            optional(before.as_ref()) + length(&after),
            |git, meter| git.changes(before.as_deref(), &after, meter),
            |changes| {
                let costs = changes.iter().map(|change| {
                    RECORD_COST + length(&change.path) + optional(change.previous.as_ref())
                });
                costs.sum()
            },
        )
    }
}
