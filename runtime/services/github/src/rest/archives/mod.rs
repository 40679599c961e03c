//! Archives with the files of a commit, which have the same bytes on every machine.

mod tar;
mod zip;

use super::nothing;
use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use crate::api::{Answer, Call};
use crate::git::{EntryKind, ObjectId};
use crate::repository::RepositoryState;
use crate::view::percent_encoded;

/// Maximum total size of the files in an archive, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum number of files and directories in an archive. A ZIP without extensions can have 65,535 entries.
const MAX_FILES: usize = 65_000;

/// Entry of an archive.
struct Member {
    /// Path, which includes the root directory of the archive. A directory ends in a slash.
    path: String,
    kind: EntryKind,
    /// Content of a file, or target of a symlink.
    bytes: Vec<u8>,
}

/// Files of a commit.
struct Collected {
    commit: ObjectId,
    /// Time of the commit, in seconds since 1970.
    seconds: i64,
    members: Vec<Member>,
}

/// Redirects to the archive of a ref, which GitHub serves from another host.
pub(super) fn route(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    below: &[&str],
) -> Outcome {
    let kind = match (request.method, below.first()) {
        ("GET", Some(&"tarball")) => "legacy.tar.gz",
        ("GET", Some(&"zipball")) => "legacy.zip",
        _ => return nothing(call),
    };
    let name = below[1..].join("/");
    commit_of(repo, call, &name)?;
    let name = match name.as_str() {
        "" => &repo.hub.repository.default_branch,
        name => name,
    };
    let (full, name) = (repo.full_name(), percent_encoded(name, b"/"));
    Ok(Reply::elsewhere(format!(
        "{}/raw/{full}/{kind}/{name}",
        request.origin()
    )))
}

pub(super) fn tarball(repo: &RepositoryState, call: &Call, name: &str) -> Outcome {
    let bytes = tar::compressed(&collect(repo, call, name)?);
    Ok(Reply::bytes("application/x-gzip", bytes))
}

pub(super) fn zipball(repo: &RepositoryState, call: &Call, name: &str) -> Outcome {
    let bytes = zip::written(&collect(repo, call, name)?);
    Ok(Reply::bytes("application/zip", bytes))
}

fn commit_of(repo: &RepositoryState, call: &Call, name: &str) -> Answer<ObjectId> {
    let name = match name {
        "" => repo.hub.repository.default_branch.as_str(),
        name => name.strip_prefix("refs/heads/").unwrap_or(name),
    };
    let name = name.strip_prefix("refs/tags/").unwrap_or(name);
    repo.git.resolve(name)?.ok_or_else(|| call.not_found())
}

/// Reads the files of a commit. Returns an error if their number or size exceeds the limit.
fn collect(repo: &RepositoryState, call: &Call, name: &str) -> Answer<Collected> {
    let id = commit_of(repo, call, name)?;
    let commit = repo.git.commit(id)?;
    let repository = &repo.hub.repository;
    let short = &id.to_string()[..7];
    let root = format!("{}-{}-{short}/", repository.owner, repository.name);
    let entries = repo.git.walk(commit.tree)?;
    let mut bytes = 0;
    for entry in entries.iter().filter(|it| it.kind.object() == "blob") {
        bytes += repo.git.size(entry.id)?;
        if bytes > MAX_BYTES {
            let most = MAX_BYTES >> 20;
            let problem = format!(
                "the archive has more than {most} MiB of files (fixed); ask for single files"
            );
            return Err(call.refuse(422, problem));
        }
    }
    if entries.len() > MAX_FILES {
        let problem =
            format!("the archive has more than {MAX_FILES} files (fixed); ask for single files");
        return Err(call.refuse(422, problem));
    }
    let mut members = vec![Member {
        path: root.clone(),
        kind: EntryKind::Directory,
        bytes: Vec::new(),
    }];
    for entry in entries {
        // A submodule becomes an empty directory.
        let is_directory = entry.kind.object() != "blob";
        members.push(Member {
            path: format!(
                "{root}{}{}",
                entry.path,
                if is_directory { "/" } else { "" }
            ),
            kind: if is_directory {
                EntryKind::Directory
            } else {
                entry.kind
            },
            bytes: if is_directory {
                Vec::new()
            } else {
                repo.git.blob(entry.id)?
            },
        });
    }
    Ok(Collected {
        commit: id,
        seconds: commit.committer.seconds,
        members,
    })
}
