//! The files of a commit as one archive, the same bytes on every machine.

mod tar;
mod zip;

use super::asked::Asked;
use super::nothing;
use super::reply::{Outcome, Reply};
use crate::api::{Answer, Call};
use crate::git::{EntryKind, ObjectId};
use crate::view::{Site, percent_encoded};

/// The most bytes that the files of an archive may have together.
const MOST_BYTES: u64 = 64 << 20;
/// The most files and directories of an archive: as many as a ZIP without extensions can name.
const MOST_FILES: usize = 65_000;

/// What an archive has at a path.
struct Member {
    /// Below the directory of the archive; a directory ends in a slash.
    path: String,
    kind: EntryKind,
    /// The bytes of a file, or the target of a link.
    bytes: Vec<u8>,
}

/// The files of a commit.
struct Collected {
    commit: ObjectId,
    /// When it was committed.
    seconds: i64,
    members: Vec<Member>,
}

/// Where the archive of a ref is, as GitHub sends clients to another host for it.
pub(super) fn route(site: &Site, asked: &Asked<'_>, call: &Call, below: &[&str]) -> Outcome {
    let kind = match (asked.method, below.first()) {
        ("GET", Some(&"tarball")) => "legacy.tar.gz",
        ("GET", Some(&"zipball")) => "legacy.zip",
        _ => return nothing(call),
    };
    let name = below[1..].join("/");
    commit_of(site, call, &name)?;
    let name = match name.as_str() {
        "" => &site.hub.repository.default_branch,
        name => name,
    };
    let (full, name) = (site.full_name(), percent_encoded(name, b"/"));
    Ok(Reply::elsewhere(format!(
        "{}/raw/{full}/{kind}/{name}",
        asked.origin()
    )))
}

pub(super) fn tarball(site: &Site, call: &Call, name: &str) -> Outcome {
    let bytes = tar::compressed(&collect(site, call, name)?);
    Ok(Reply::bytes("application/x-gzip", bytes))
}

pub(super) fn zipball(site: &Site, call: &Call, name: &str) -> Outcome {
    let bytes = zip::written(&collect(site, call, name)?);
    Ok(Reply::bytes("application/zip", bytes))
}

fn commit_of(site: &Site, call: &Call, name: &str) -> Answer<ObjectId> {
    let name = match name {
        "" => site.hub.repository.default_branch.as_str(),
        name => name.strip_prefix("refs/heads/").unwrap_or(name),
    };
    let name = name.strip_prefix("refs/tags/").unwrap_or(name);
    site.git.resolve(name)?.ok_or_else(|| call.not_found())
}

/// Reads the files of a commit, unless they are too many or too much.
fn collect(site: &Site, call: &Call, name: &str) -> Answer<Collected> {
    let id = commit_of(site, call, name)?;
    let commit = site.git.commit(id)?;
    let repository = &site.hub.repository;
    let short = &id.to_string()[..7];
    let root = format!("{}-{}-{short}/", repository.owner, repository.name);
    let entries = site.git.walk(commit.tree)?;
    let mut bytes = 0;
    for entry in entries.iter().filter(|it| it.kind.object() == "blob") {
        bytes += site.git.size(entry.id)?;
        if bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            let problem = format!(
                "the archive has more than {most} MiB of files (fixed); ask for single files"
            );
            return Err(call.refuse(422, problem));
        }
    }
    if entries.len() > MOST_FILES {
        let problem =
            format!("the archive has more than {MOST_FILES} files (fixed); ask for single files");
        return Err(call.refuse(422, problem));
    }
    let mut members = vec![Member {
        path: root.clone(),
        kind: EntryKind::Directory,
        bytes: Vec::new(),
    }];
    for entry in entries {
        // A submodule is an empty directory.
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
                site.git.blob(entry.id)?
            },
        });
    }
    Ok(Collected {
        commit: id,
        seconds: commit.committer.seconds,
        members,
    })
}
