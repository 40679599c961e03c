//! The interface `git-builder`: an engine of the embedder's makes the repository of a new world.

use super::{SetupHost, Stop};
use crate::FaultKind;
use crate::bindings::mcpmark::guest::git_builder::{self, Change, Error, Signature};
use crate::git::{self, CreateError, GitBuilder, NewCommit};

/// What a commit costs the host beyond its texts, in units of fuel: it writes the directories
/// above each file anew.
const COMMIT_FUEL: u64 = 50_000;
const CHANGE_FUEL: u64 = 20_000;

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
        let files = match repository.finish() {
            Ok(files) => files,
            Err(CreateError::Refused(error)) => return Err(invalid(words(error))),
            Err(CreateError::Broken(message)) => return Err(Stop::host(message)),
        };
        for file in files {
            let put = match file.content {
                Some(content) => self.world.put(&file.path, content, file.executable, None),
                None => self.world.make_directory(&file.path),
            };
            put.map_err(|error| invalid(format!("the repository of the world: {error:?}")))?;
        }
        Ok(())
    }
}

/// What the guest did wrong, in words.
fn words(error: Error) -> String {
    match error {
        Error::Invalid(words) | Error::NotFound(words) | Error::TooLarge(words) => words,
    }
}

/// What the guest is told; what the host cannot do ends the run.
fn answer<T>(result: Result<T, CreateError>) -> wasmtime::Result<Result<T, Error>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(CreateError::Refused(error)) => Ok(Err(error)),
        Err(CreateError::Broken(message)) => Err(Stop::host(message)),
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
        let bytes = (written.sum::<usize>() + message.len() + parents_bytes) as u64;
        self.common
            .charge(bytes + signature_bytes(&author) + signature_bytes(&committer))?;
        self.common
            .charge_fuel(COMMIT_FUEL + CHANGE_FUEL * changes.len() as u64)?;
        let limit = self.world.max_bytes;
        let repository = self.repository()?;
        if repository.bytes().saturating_add(bytes) > limit {
            let message = format!("a commit: the world may have {limit} bytes");
            return Ok(Err(Error::TooLarge(message)));
        }
        answer(repository.commit(NewCommit {
            parents,
            changes,
            author: known(author),
            committer: known(committer),
            message,
        }))
    }

    fn set_reference(
        &mut self,
        name: String,
        target: String,
    ) -> wasmtime::Result<Result<(), Error>> {
        self.common.charge((name.len() + target.len()) as u64)?;
        answer(self.repository()?.set_reference(&name, &target))
    }

    fn annotate(
        &mut self,
        name: String,
        target: String,
        tagger: Signature,
        message: String,
    ) -> wasmtime::Result<Result<String, Error>> {
        let bytes = (name.len() + target.len() + message.len()) as u64;
        self.common.charge(bytes + signature_bytes(&tagger))?;
        self.common.charge_fuel(COMMIT_FUEL)?;
        answer(
            self.repository()?
                .annotate(&name, &target, known(tagger), &message),
        )
    }

    fn set_head(&mut self, branch: String) -> wasmtime::Result<Result<(), Error>> {
        self.common.charge(branch.len() as u64)?;
        answer(self.repository()?.set_head(&branch))
    }
}
