//! The interface `git-builder`: builds the repository of a new world.

use std::sync::Arc;

use mcpmark_sandbox::{FaultKind, Meter, SetupHost, wasmtime};

use super::{CreateError, Engine, GitBuilder, NewCommit};
use crate::bindings::mcpmark::guest::git_builder::{self, Change, Error, Signature};

/// Size of a commit or tag apart from its texts, or of a reference apart from its name, in bytes.
const RECORD_BYTES: u64 = 128;

/// Repository of the world; none until the guest's first call.
#[derive(Default)]
struct Begun(Option<Box<dyn GitBuilder>>);

/// Starts the repository, unless it is started.
fn begin(host: &mut SetupHost) -> wasmtime::Result<()> {
    if host.state::<Begun>().0.is_none() {
        let engine: Arc<Engine> = host.data()?;
        let repository = engine.0.create().map_err(SetupHost::host_error)?;
        host.state::<Begun>().0 = Some(repository);
        host.at_end(finish);
    }
    Ok(())
}

/// Writes the repository into the world when the guest has ended.
fn finish(host: &mut SetupHost) -> wasmtime::Result<()> {
    let Some(repository) = host.state::<Begun>().0.take() else {
        return Ok(());
    };
    let invalid = |message: String| SetupHost::fault(FaultKind::Output, message);
    let mut meter = host.meter();
    let files = match repository.finish(&mut meter) {
        Ok(files) => files,
        Err(CreateError::Refused(error)) => return Err(invalid(words(error))),
        Err(CreateError::Broken(message)) => return Err(SetupHost::host_error(message)),
        Err(CreateError::Exhausted) => return Err(host.exhausted(&meter)),
    };
    host.settle(&meter)?;
    for file in files {
        let put = match file.content {
            Some(content) => host.put_file(&file.path, content, file.executable),
            None => host.make_directory(&file.path),
        };
        put.map_err(|problem| invalid(format!("the repository of the world: {problem}")))?;
    }
    Ok(())
}

/// Calls the repository, and charges the request and the work. `bytes` is the maximum growth of the world, and `what`
/// names the object in the error if it is too large.
fn ask<T>(
    host: &mut SetupHost,
    what: &str,
    bytes: u64,
    ask: impl FnOnce(&mut dyn GitBuilder, &mut Meter) -> Result<T, CreateError>,
) -> wasmtime::Result<Result<T, Error>> {
    host.charge(bytes)?;
    let limit = host.max_bytes();
    let mut meter = host.meter();
    begin(host)?;
    let Some(repository) = &mut host.state::<Begun>().0 else {
        return Err(SetupHost::host_error("the repository is not open"));
    };
    if repository.bytes().saturating_add(bytes) > limit {
        let message = format!("{what}: the world exceeds the limit of {limit} bytes");
        return Ok(Err(Error::TooLarge(message)));
    }
    let answer = match ask(repository.as_mut(), &mut meter) {
        Ok(value) => Ok(value),
        Err(CreateError::Refused(error)) => Err(error),
        Err(CreateError::Broken(message)) => return Err(SetupHost::host_error(message)),
        Err(CreateError::Exhausted) => return Err(host.exhausted(&meter)),
    };
    host.settle(&meter)?;
    Ok(answer)
}

/// Returns the message of the guest's error.
fn words(error: Error) -> String {
    match error {
        Error::Invalid(words) | Error::NotFound(words) | Error::TooLarge(words) => words,
    }
}

/// Converts a signature to the type of the interface `git`.
fn known(signature: Signature) -> super::Signature {
    super::Signature {
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
        ask(self, "a commit", bytes, |repository, meter| {
            let commit = NewCommit {
                parents,
                changes,
                author: known(author),
                committer: known(committer),
                message,
            };
            repository.commit(commit, meter)
        })
    }

    fn set_reference(
        &mut self,
        name: String,
        target: String,
    ) -> wasmtime::Result<Result<(), Error>> {
        let bytes = (name.len() + target.len()) as u64 + RECORD_BYTES;
        ask(self, "a reference", bytes, |repository, meter| {
            repository.set_reference(&name, &target, meter)
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
        ask(self, "a tag", bytes, |repository, meter| {
            repository.annotate(&name, &target, known(tagger), &message, meter)
        })
    }

    fn set_head(&mut self, branch: String) -> wasmtime::Result<Result<(), Error>> {
        ask(
            self,
            "a branch",
            branch.len() as u64,
            |repository, meter| repository.set_head(&branch, meter),
        )
    }
}
