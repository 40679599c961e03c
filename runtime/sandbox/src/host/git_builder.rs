//! The interface `git-builder`: an engine of the embedder's makes the repository of a new world.

use super::{SetupHost, Stop};
use crate::FaultKind;
use crate::bindings::mcpmark::guest::builder;
use crate::bindings::mcpmark::guest::git_builder::{self, Change, Error, Signature};
use crate::git::{self, CreateError, GitBuilder, NewCommit, Work};

/// What a commit or a tag takes beyond its texts, in bytes, and a reference beyond its name.
const RECORD_BYTES: u64 = 128;

impl SetupHost {
    fn repository(&mut self) -> wasmtime::Result<&mut dyn GitBuilder> {
        if self.repository.is_none() {
            let engine = self.git.as_ref().ok_or_else(|| {
                Stop::host("this sandbox has no engine for git (`SandboxConfig::git`)")
            })?;
            self.repository = Some(engine.create().map_err(Stop::host)?);
        }
        match &mut self.repository {
            Some(repository) => Ok(repository.as_mut()),
            None => Err(Stop::host("the repository was lost")),
        }
    }

    /// Puts the repository into the world, once the guest is done.
    pub(crate) fn finish_repository(&mut self) -> wasmtime::Result<()> {
        let Some(repository) = self.repository.take() else {
            return Ok(());
        };
        let invalid = |message: String| Stop::fault(FaultKind::Output, message);
        let mut work = self.common.work();
        let files = match repository.finish(&mut work) {
            Ok(files) => files,
            Err(CreateError::Refused(error)) => return Err(invalid(words(error))),
            Err(CreateError::Broken(message)) => return Err(Stop::host(message)),
            Err(CreateError::Spent) => return Err(self.common.spent(&work)),
        };
        self.common.charge_fuel(work.fuel())?;
        for file in files {
            let put = match file.content {
                Some(content) => self.world.put(&file.path, content, file.executable, None),
                None => self.world.make_directory(&file.path),
            };
            put.map_err(|error| {
                let words = builder_words(error);
                invalid(format!("the repository of the world: {words}"))
            })?;
        }
        Ok(())
    }

    /// Asks the repository, and charges the request and the work. `bytes` is what it may add to the
    /// world, and `what` names it where that is too much.
    fn ask<T>(
        &mut self,
        what: &str,
        bytes: u64,
        ask: impl FnOnce(&mut dyn GitBuilder, &mut Work) -> Result<T, CreateError>,
    ) -> wasmtime::Result<Result<T, Error>> {
        self.common.charge(bytes)?;
        let limit = self.world.max_bytes;
        let mut work = self.common.work();
        let repository = self.repository()?;
        if repository.bytes().saturating_add(bytes) > limit {
            let message = format!("{what}: the world may have {limit} bytes");
            return Ok(Err(Error::TooLarge(message)));
        }
        let answer = match ask(repository, &mut work) {
            Ok(value) => Ok(value),
            Err(CreateError::Refused(error)) => Err(error),
            Err(CreateError::Broken(message)) => return Err(Stop::host(message)),
            Err(CreateError::Spent) => return Err(self.common.spent(&work)),
        };
        self.common.charge_fuel(work.fuel())?;
        Ok(answer)
    }
}

/// What the guest did wrong, in words.
fn words(error: Error) -> String {
    match error {
        Error::Invalid(words) | Error::NotFound(words) | Error::TooLarge(words) => words,
    }
}

fn builder_words(error: builder::Error) -> String {
    match error {
        builder::Error::InvalidPath(words)
        | builder::Error::Exists(words)
        | builder::Error::TooLarge(words) => words,
    }
}

/// The same as the interface for reading has it.
fn known(signature: Signature) -> git::Signature {
    git::Signature {
        name: signature.name,
        email: signature.email,
        time: signature.time,
        offset: signature.offset,
    }
}

fn signature_bytes(signature: &Signature) -> u64 {
    (signature.name.len() + signature.email.len()) as u64
}

impl git_builder::Host for SetupHost {
    fn commit(
        &mut self,
        parents: Vec<String>,
        changes: Vec<Change>,
        author: Signature,
        committer: Signature,
        message: String,
    ) -> wasmtime::Result<Result<String, Error>> {
        let written = changes.iter().map(|change| match change {
            Change::Write(file) => file.path.len() + file.content.len(),
            Change::Remove(path) => path.len(),
        });
        let parents_bytes: usize = parents.iter().map(String::len).sum();
        let texts = (written.sum::<usize>() + message.len() + parents_bytes) as u64;
        let bytes = texts + signature_bytes(&author) + signature_bytes(&committer) + RECORD_BYTES;
        self.ask("a commit", bytes, |repository, work| {
            let commit = NewCommit {
                parents,
                changes,
                author: known(author),
                committer: known(committer),
                message,
            };
            repository.commit(commit, work)
        })
    }

    fn set_reference(
        &mut self,
        name: String,
        target: String,
    ) -> wasmtime::Result<Result<(), Error>> {
        let bytes = (name.len() + target.len()) as u64 + RECORD_BYTES;
        self.ask("a reference", bytes, |repository, work| {
            repository.set_reference(&name, &target, work)
        })
    }

    fn annotate(
        &mut self,
        name: String,
        target: String,
        tagger: Signature,
        message: String,
    ) -> wasmtime::Result<Result<String, Error>> {
        let texts = (name.len() + target.len() + message.len()) as u64;
        let bytes = texts + signature_bytes(&tagger) + RECORD_BYTES;
        self.ask("a tag", bytes, |repository, work| {
            repository.annotate(&name, &target, known(tagger), &message, work)
        })
    }

    fn set_head(&mut self, branch: String) -> wasmtime::Result<Result<(), Error>> {
        self.ask("a branch", branch.len() as u64, |repository, work| {
            repository.set_head(&branch, work)
        })
    }
}
