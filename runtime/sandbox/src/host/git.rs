//! The interface `git`: an engine of the embedder's reads the two repositories, and each answer is
//! charged before it goes to the guest.

use super::{Stop, VerifierHost};
use crate::FaultKind;
use crate::bindings::mcpmark::guest::git;
use crate::bindings::mcpmark::guest::state::Tree;
use crate::git::{GitError, GitRepository, Log, OpenError, Work};

/// What a record costs beyond its texts, in charged bytes.
const RECORD_COST: u64 = 128;
/// The most bytes of a blob that are handed out.
const BLOB_LIMIT: u64 = 8 << 20;

/// The repositories of a grade, each opened when it is first asked for.
#[derive(Default)]
pub(crate) struct Repositories {
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

impl VerifierHost {
    fn open(&mut self, tree: Tree) -> wasmtime::Result<()> {
        if self.repositories.of(tree).is_some() {
            return Ok(());
        }
        let engine = self.git.clone().ok_or_else(|| {
            Stop::host("this sandbox has no engine for git (`SandboxConfig::git`)")
        })?;
        let mut work = self.common.work();
        let repository = match engine.open(self.snapshot(tree), &mut work) {
            Ok(repository) => repository,
            Err(OpenError::Spent) => return Err(self.common.spent(&work)),
            Err(OpenError::Damaged(message)) => return Err(Stop::world(message)),
            Err(OpenError::Broken(message)) => return Err(Stop::host(message)),
            Err(OpenError::Absent) => {
                return Err(Stop::fault(
                    FaultKind::Link,
                    "the verifier reads a git repository, and this world has none".into(),
                ));
            }
        };
        self.common.charge_fuel(work.fuel())?;
        *self.repositories.of(tree) = Some(repository);
        Ok(())
    }

    /// Asks the repository of a tree, and charges the request, the work and the answer.
    fn ask<T>(
        &mut self,
        tree: Tree,
        request: u64,
        ask: impl FnOnce(&mut dyn GitRepository, &mut Work) -> Result<T, GitError>,
        cost: impl FnOnce(&T) -> u64,
    ) -> Answer<T> {
        self.common.charge(request)?;
        self.open(tree)?;
        let mut work = self.common.work();
        let Some(repository) = self.repositories.of(tree) else {
            return Err(Stop::host("the repository was lost"));
        };
        let answer = match ask(repository.as_mut(), &mut work) {
            Ok(answer) => Ok(answer),
            Err(GitError::Refused(error)) => Err(error),
            Err(GitError::Spent) => return Err(self.common.spent(&work)),
            Err(GitError::Damaged(message)) => return Err(Stop::world(message)),
            Err(GitError::Broken(message)) => return Err(Stop::host(message)),
        };
        self.common.charge_fuel(work.fuel())?;
        if let Ok(answer) = &answer {
            self.common.charge_bytes(cost(answer))?;
        }
        Ok(answer)
    }
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
        git::Error::NotFound => "something that it names is not there".to_owned(),
        git::Error::OtherKind(kind) => format!("something that it names is a {kind}"),
        git::Error::Invalid(rule) => rule,
    }
}

/// What could not be answered although nothing was asked that might be missing.
fn surely<T>(answer: Answer<T>) -> wasmtime::Result<T> {
    answer?.map_err(|error| Stop::world(format!("the repository of the world: {}", words(error))))
}

impl git::Host for VerifierHost {
    fn head(&mut self, tree: Tree) -> wasmtime::Result<String> {
        surely(self.ask(tree, 0, |git, work| git.head(work), |name| length(name)))
    }

    fn references(&mut self, tree: Tree) -> wasmtime::Result<Vec<git::Reference>> {
        let cost = |references: &Vec<git::Reference>| {
            let costs = references.iter().map(|it| RECORD_COST + length(&it.name));
            costs.sum()
        };
        surely(self.ask(tree, 0, |git, work| git.references(work), cost))
    }

    fn resolve(&mut self, tree: Tree, revision: String) -> Answer<String> {
        let ask = |git: &mut dyn GitRepository, work: &mut Work| git.resolve(&revision, work);
        self.ask(tree, length(&revision), ask, |id| length(id))
    }

    fn read_commit(&mut self, tree: Tree, id: String) -> Answer<git::Commit> {
        let ask = |git: &mut dyn GitRepository, work: &mut Work| git.commit(&id, work);
        self.ask(tree, length(&id), ask, commit_cost)
    }

    fn read_tag(&mut self, tree: Tree, id: String) -> Answer<git::Tag> {
        let ask = |git: &mut dyn GitRepository, work: &mut Work| git.tag(&id, work);
        self.ask(tree, length(&id), ask, |tag| {
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
        self.ask(
            tree,
            request,
            |git, work| git.log(&log, work),
            |commits| commits.iter().map(commit_cost).sum(),
        )
    }

    fn merge_base(&mut self, tree: Tree, one: String, other: String) -> Answer<Option<String>> {
        self.ask(
            tree,
            length(&one) + length(&other),
            |git, work| git.merge_base(&one, &other, work),
            |id| optional(id.as_ref()),
        )
    }

    fn stat(&mut self, tree: Tree, commit: String, path: String) -> Answer<git::Entry> {
        self.ask(
            tree,
            length(&commit) + length(&path),
            |git, work| git.stat(&commit, &path, work),
            entry_cost,
        )
    }

    fn walk(&mut self, tree: Tree, commit: String, path: String) -> Answer<Vec<git::Entry>> {
        self.ask(
            tree,
            length(&commit) + length(&path),
            |git, work| git.walk(&commit, &path, work),
            |entries| entries.iter().map(entry_cost).sum(),
        )
    }

    fn read_blob(&mut self, tree: Tree, id: String) -> Answer<Vec<u8>> {
        let ask = |git: &mut dyn GitRepository, work: &mut Work| git.blob_size(&id, work);
        // What is refused is not charged as though it were handed out.
        let cost = |size: &u64| if *size > BLOB_LIMIT { 0 } else { *size };
        let size = match self.ask(tree, length(&id), ask, cost)? {
            Ok(size) if size > BLOB_LIMIT => {
                let rule = format!("the blob has {size} bytes, more than {BLOB_LIMIT} at once");
                return Ok(Err(git::Error::Invalid(rule)));
            }
            Ok(size) => size,
            Err(error) => return Ok(Err(error)),
        };
        let ask = |git: &mut dyn GitRepository, work: &mut Work| git.blob(&id, work);
        let answer = self.ask(tree, 0, ask, |_| 0)?;
        if answer
            .as_ref()
            .is_ok_and(|bytes| bytes.len() as u64 != size)
        {
            return Err(Stop::world(format!(
                "blob {id} has another size than it says"
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
        self.ask(
            tree,
            optional(before.as_ref()) + length(&after),
            |git, work| git.changes(before.as_deref(), &after, work),
            |changes| {
                let costs = changes.iter().map(|change| {
                    RECORD_COST + length(&change.path) + optional(change.previous.as_ref())
                });
                costs.sum()
            },
        )
    }
}
